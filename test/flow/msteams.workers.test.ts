import { SELF } from "cloudflare:test";
import { inject } from "vitest";
import { knownPlace } from "../channels/platform-lab.ts";
import { publicJwk, signToken } from "../channels/signing-key.ts";
import { channelFlow } from "./channel-flow.ts";
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
  sessionKey: (person) => `agent:main:msteams:direct:${personOf(person)}`,
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
  scriptSending: (answer) => place.script({ path: "activities", containing: '"type":"message"', ...answer }),
});
