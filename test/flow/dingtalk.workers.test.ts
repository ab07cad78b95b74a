import { env, runInDurableObject, SELF } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { dingtalkMarkup } from "../../src/channels/markup/markdown-platforms.ts";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { messageOf, signedHeaders, wordsOf } from "../channels/dingtalk/test-robot.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { script, waitFor } from "./client.ts";
import { ownerMessages } from "./owner-messages.ts";

const place = knownPlace("dingtalk", "flow", inject("platforms"));

/** A direct message of the owner, with an address for the answers. */
function message(text: string, id: string, key = "flow-client-secret"): Request {
  const sessionWebhook = `${place.url}/robot/sendBySession?session=flow-session`;
  const more = { senderStaffId: "owner", msgId: id, sessionWebhook, sessionWebhookExpiredTime: Date.now() + 5_400_000 };
  return new Request("https://isopod.test/channels/dingtalk/default/webhook", {
    method: "POST",
    headers: signedHeaders(Date.now(), key),
    body: JSON.stringify(messageOf({ ...more, text: { content: text } })),
  });
}

ownerMessages("DingTalk", {
  place,
  // At the address that came with the message, or as the robot.
  sendPath: "robot/",
  message,
  forged: () => message("Let me in", "8", "guess"),
  words: ({ fields }) => dingtalkMarkup.plain(wordsOf(fields)),
  busy: { status: 429, headers: { "Retry-After": "1" }, body: "too many requests" },
  broken: { status: 500, body: "Internal Server Error" },
  press({ fields }) {
    const says = /sendMessage\?content=([^)]+)\)/.exec(wordsOf(fields))?.[1] ?? "";
    return message(decodeURIComponent(says), "DingTalk-press");
  },
});

test("a reply goes to the address that came with the message, which is stored encrypted alone", async () => {
  await script("default", [{ text: "By the address." }]);
  await SELF.fetch(message("Where to?", "DingTalk-address"));
  const replies = async () => (await place.calls("sendBySession")).map(({ fields }) => wordsOf(fields).trim());
  await waitFor(async () => (await replies()).includes("By the address."));
  const stub = env.SESSIONS.getByName(await objectNameOf("agent:main:main"));
  const stored = await runInDurableObject(stub, (_, { storage }) =>
    JSON.stringify(["runs", "outbox", "messages"].map((table) => storage.sql.exec(`select * from ${table}`).toArray())),
  );
  expect(stored).toContain("By the address.");
  expect(stored).not.toContain("flow-session");
});
