import { env, runInDurableObject, SELF } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { dingtalkMarkup } from "../../src/channels/markup/markdown-platforms.ts";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { messageOf, signedHeaders, wordsOf } from "../channels/dingtalk/test-robot.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { channelFlow, OWNER } from "./channel-flow.ts";
import { script, waitFor } from "./client.ts";

const place = knownPlace("dingtalk", "flow", inject("platforms"));

/** A direct message, with an address for the answers. */
function deliver(person: number, text: string, id: string, { isForged = false } = {}): Promise<Response> {
  const sessionWebhook = `${place.url}/robot/sendBySession?session=of-${person}`;
  const sender = { senderStaffId: `person-${person}`, msgId: `${person}-${id}` };
  const more = { ...sender, sessionWebhook, sessionWebhookExpiredTime: Date.now() + 5_400_000 };
  return SELF.fetch("https://isopod.test/channels/dingtalk/default/webhook", {
    method: "POST",
    headers: signedHeaders(Date.now(), isForged ? "guess" : "flow-client-secret"),
    body: JSON.stringify(messageOf({ ...more, text: { content: text } })),
  });
}

async function sentTo(person: number): Promise<string[]> {
  // At the address that came with the message, or as the robot.
  const calls = await place.calls("robot/");
  const own = calls.filter(
    ({ path, fields }) =>
      path.endsWith(`session=of-${person}`) || JSON.stringify(fields).includes(`"person-${person}"`),
  );
  return own.map(({ fields }) => wordsOf(fields));
}

channelFlow("dingtalk", {
  sessionKey: (person) => (person === OWNER ? "agent:main:main" : `agent:main:dingtalk:direct:person-${person}`),
  deliver,
  sentTo: async (person) => (await sentTo(person)).map((words) => dingtalkMarkup.plain(words)),
  scriptSending: (answer) => place.script({ path: "robot/", ...answer }),
  async press() {
    const says = /sendMessage\?content=([^)]+)\)/.exec((await sentTo(OWNER)).at(-1) ?? "")?.[1] ?? "";
    return deliver(OWNER, decodeURIComponent(says), "press");
  },
});

test("a reply goes to the address that came with the message, which is stored encrypted alone", async () => {
  await script("default", [{ text: "By the address." }]);
  await deliver(OWNER, "Where to?", "address");
  const replies = async () => (await place.calls("sendBySession")).map(({ fields }) => wordsOf(fields).trim());
  await waitFor(async () => (await replies()).includes("By the address."));
  const stub = env.SESSIONS.getByName(await objectNameOf("agent:main:main"));
  const stored = await runInDurableObject(stub, (_, { storage }) =>
    JSON.stringify(["runs", "outbox", "messages"].map((table) => storage.sql.exec(`select * from ${table}`).toArray())),
  );
  expect(stored).toContain("By the address.");
  expect(stored).not.toContain(`of-${OWNER}`);
});
