import { SELF } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { knownPlace } from "../channels/platform-lab.ts";
import { publicJwk, signToken } from "../channels/signing-key.ts";
import { channelFlow, OWNER } from "./channel-flow.ts";
import { hear } from "./chats.ts";
import { call, finished, script, waitFor } from "./client.ts";
import { channelSecrets } from "./config.ts";

const place = knownPlace("msteams", "flow", inject("platforms"));
const serviceUrl = `${place.url}/`;
await place.remember({
  appPassword: channelSecrets.MSTEAMS_APP_PASSWORD,
  openId: { jwks_uri: `${place.url}/keys` },
  keys: [{ ...(await publicJwk()), endorsements: ["msteams"] }],
});

const personOf = (person: number) => `00000000-0000-4000-8000-${String(person).padStart(12, "0")}`;

channelFlow("msteams", {
  sessionKey: (person) => (person === OWNER ? "agent:main:main" : `agent:main:msteams:direct:${personOf(person)}`),
  async deliver(person, text, id, { isForged } = {}) {
    const at = Math.floor(Date.now() / 1000);
    const token = await signToken(
      {
        iss: "https://api.botframework.com",
        aud: channelSecrets.MSTEAMS_APP_ID,
        exp: at + 600,
        serviceurl: serviceUrl,
      },
      isForged ? { by: "stranger" } : {},
    );
    const activity = {
      ...{ type: "message", channelId: "msteams", serviceUrl, id, text },
      from: { id: `29:${person}`, name: `Person ${person}`, aadObjectId: personOf(person) },
      recipient: { id: `28:${channelSecrets.MSTEAMS_APP_ID}`, name: "Isopod" },
      conversation: { conversationType: "personal", id: `a:chat-${person}` },
    };
    return SELF.fetch("https://isopod.test/channels/msteams/default/webhook", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(activity),
    });
  },
  async sentTo(person) {
    const calls = await place.calls(`${encodeURIComponent(`a:chat-${person}`)}/activities`);
    return calls.flatMap(({ fields }) => (fields.type === "message" ? [String(fields.text)] : []));
  },
  scriptSending: (answer) => place.script({ path: "activities", holds: '"type":"message"', ...answer }),
});

test("a picture is shown, and a file that Teams takes from no bot is a link to it", async () => {
  await call("PUT", "/v1/agents/main/workspace/dot.gif", "GIF89a", { "Content-Type": "image/gif" });
  await call("PUT", "/v1/agents/main/workspace/notes.md", "# Notes", { "Content-Type": "text/markdown" });
  await script("teams-files", [{ text: "Here.\nMEDIA:dot.gif\nMEDIA:notes.md" }]);
  const target = { channel: "msteams", accountId: "default", kind: "direct", conversationId: "a:files" } as const;
  await finished(await hear("teams-files", { ...target, via: serviceUrl, origin: "https://isopod.test" }, "Send them"));
  const sent = async () => (await place.calls("activities")).filter(({ path }) => path.includes("a%3Afiles"));
  await waitFor(async () => (await sent()).filter(({ fields }) => fields.type === "message").length === 3);
  const messages = (await sent()).filter(({ fields }) => fields.type === "message").map(({ fields }) => fields);
  expect(messages[1]).toMatchObject({ attachments: [{ contentType: "image/gif", name: "dot.gif" }] });
  const [url = ""] = /https:\/\/isopod\.test\/files\/[^\s)>]+/.exec(String(messages[2]?.text)) ?? [];
  expect(await (await SELF.fetch(url)).text()).toBe("# Notes");
});
