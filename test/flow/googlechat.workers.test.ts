import { SELF } from "cloudflare:test";
import { inject } from "vitest";
import { knownPlace } from "../channels/platform-lab.ts";
import { publicJwk, signToken } from "../channels/signing-key.ts";
import { channelFlow, OWNER } from "./channel-flow.ts";
import { channelSecrets } from "./config.ts";

const ENDPOINT = "https://isopod.test/channels/googlechat/default/webhook";
const place = knownPlace("googlechat", "flow", inject("platforms"));
await place.remember({ keys: [await publicJwk()] });

const created = async (person: number) =>
  (await place.calls(`spaces/DM-${person}/messages`)).map(({ path, fields }) => ({
    requestId: new URL(path, "http://chat.test/").searchParams.get("requestId"),
    text: String(fields.text),
  }));

channelFlow("googlechat", {
  sessionKey: (person) => (person === OWNER ? "agent:main:main" : `agent:main:googlechat:direct:users%2F${person}`),
  async deliver(person, text, id, { isForged } = {}) {
    const claims = {
      ...{ iss: "https://accounts.google.com", aud: channelSecrets.GOOGLE_CHAT_AUDIENCE },
      ...{ email: "chat@system.gserviceaccount.com", email_verified: true },
      exp: Math.floor(Date.now() / 1000) + 600,
    };
    const token = await signToken(claims, isForged ? { by: "stranger" } : {});
    const space = { name: `spaces/DM-${person}`, spaceType: "DIRECT_MESSAGE" };
    const sender = { name: `users/${person}`, displayName: `Person ${person}`, type: "HUMAN" };
    const message = { name: `${space.name}/messages/${id}`, sender, text, argumentText: text };
    return SELF.fetch(ENDPOINT, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ type: "MESSAGE", user: sender, space, message }),
    });
  },
  sentTo: async (person) => (await created(person)).map(({ text }) => text),
  // What has the id of an earlier request is that message.
  shownTo: async (person) => [
    ...new Map((await created(person)).map(({ requestId, text }, n) => [requestId ?? n, text])).values(),
  ],
  scriptSending: (answer) => place.script({ path: "/messages", ...answer }),
});
