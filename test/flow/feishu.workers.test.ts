import { inject } from "vitest";
import { cardText, encrypt, signedHeaders } from "../channels/feishu/test-app.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { channelFlow } from "../contracts/channel-flow.ts";

const KEY = "flow-encrypt-key";

function event(type: string, eventId: string, body: object): Request {
  const json = { schema: "2.0", header: { event_id: eventId, event_type: type, token: "flow-token" }, event: body };
  const sealed = JSON.stringify({ encrypt: encrypt(json, KEY) });
  const headers = signedHeaders(sealed, KEY, Math.floor(Date.now() / 1000));
  return new Request("https://isopod.test/channels/feishu/default/webhook", { method: "POST", headers, body: sealed });
}

const place = knownPlace("feishu", "flow", inject("platforms"));

channelFlow("Feishu", {
  place,
  sendPath: "im/v1/messages?",
  message: (text, id) =>
    event("im.message.receive_v1", `ev-${id}`, {
      sender: { sender_id: { open_id: "ou_owner" }, sender_type: "user" },
      message: {
        message_id: `om_${id}`,
        chat_id: "oc_owner",
        chat_type: "p2p",
        message_type: "text",
        content: JSON.stringify({ text }),
      },
    }),
  words: ({ fields }) => cardText(fields).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  busy: {
    status: 429,
    headers: { "x-ogw-ratelimit-reset": "1" },
    body: { code: 99991400, msg: "request trigger frequency limit" },
  },
  broken: { status: 500, body: { code: 2200, msg: "Internal Error" } },
  press({ fields }) {
    const [, row] = JSON.parse(String(fields.content)).body.elements;
    const { value } = row.columns[0].elements[0].behaviors[0];
    return event("card.action.trigger", "ev-press", {
      operator: { open_id: "ou_owner" },
      action: { tag: "button", value },
      context: { open_message_id: "om_card", open_chat_id: "oc_owner" },
    });
  },
});
