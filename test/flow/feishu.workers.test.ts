import { SELF } from "cloudflare:test";
import { inject } from "vitest";
import { feishuMarkup } from "../../src/channels/markup/markdown-platforms.ts";
import { cardText, encrypt, signedHeaders } from "../channels/feishu/test-app.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { channelFlow, OWNER } from "./channel-flow.ts";

const KEY = "flow-encrypt-key";
const place = knownPlace("feishu", "flow", inject("platforms"));

function callBack(type: string, eventId: string, event: object, key = KEY): Promise<Response> {
  const json = { schema: "2.0", header: { event_id: eventId, event_type: type, token: "flow-token" }, event };
  const body = JSON.stringify({ encrypt: encrypt(json, KEY) });
  const headers = signedHeaders(body, key, Math.floor(Date.now() / 1000));
  return SELF.fetch("https://isopod.test/channels/feishu/default/webhook", { method: "POST", headers, body });
}

async function sentTo(person: number) {
  const calls = await place.calls("im/v1/messages?");
  return calls.map(({ fields }) => fields).filter(({ receive_id }) => receive_id === `oc_${person}`);
}

channelFlow("feishu", {
  sessionKey: (person) => (person === OWNER ? "agent:main:main" : `agent:main:feishu:direct:ou_${person}`),
  deliver(person, text, id, { isForged } = {}) {
    const event = {
      sender: { sender_id: { open_id: `ou_${person}` }, sender_type: "user" },
      message: {
        ...{ message_id: `om_${person}_${id}`, chat_id: `oc_${person}`, chat_type: "p2p", message_type: "text" },
        content: JSON.stringify({ text }),
      },
    };
    return callBack("im.message.receive_v1", `ev-${person}-${id}`, event, isForged && "guess");
  },
  sentTo: async (person) => (await sentTo(person)).map((fields) => feishuMarkup.plain(cardText(fields))),
  scriptSending: (answer) => place.script({ path: "im/v1/messages?", ...answer }),
  busy: {
    status: 429,
    headers: { "x-ogw-ratelimit-reset": "2" },
    body: { code: 99991400, msg: "request trigger frequency limit" },
  },
  async press() {
    const [, row] = JSON.parse(String((await sentTo(OWNER)).at(-1)?.content)).body.elements;
    const { value } = row.columns[0].elements[0].behaviors[0];
    return callBack("card.action.trigger", "ev-press", {
      operator: { open_id: `ou_${OWNER}` },
      action: { tag: "button", value },
      context: { open_message_id: "om_card", open_chat_id: `oc_${OWNER}` },
    });
  },
});
