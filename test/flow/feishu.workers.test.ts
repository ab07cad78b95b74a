import { inject } from "vitest";
import { feishuMarkup } from "../../src/channels/markup/markdown-platforms.ts";
import { cardText, encrypt, signedHeaders } from "../channels/feishu/test-app.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { ownerMessages } from "./owner-messages.ts";

const KEY = "flow-encrypt-key";

function event(type: string, eventId: string, body: object, key = KEY): Request {
  const json = { schema: "2.0", header: { event_id: eventId, event_type: type, token: "flow-token" }, event: body };
  const sealed = JSON.stringify({ encrypt: encrypt(json, KEY) });
  const headers = signedHeaders(sealed, key, Math.floor(Date.now() / 1000));
  return new Request("https://isopod.test/channels/feishu/default/webhook", { method: "POST", headers, body: sealed });
}

function said(text: string, id: string) {
  const message = { message_id: `om_${id}`, chat_id: "oc_owner", chat_type: "p2p", message_type: "text" };
  return {
    sender: { sender_id: { open_id: "ou_owner" }, sender_type: "user" },
    message: { ...message, content: JSON.stringify({ text }) },
  };
}

const place = knownPlace("feishu", "flow", inject("platforms"));

ownerMessages("Feishu", {
  place,
  sendPath: "im/v1/messages?",
  message: (text, id) => event("im.message.receive_v1", `ev-${id}`, said(text, id)),
  forged: () => event("im.message.receive_v1", "ev-8", said("Let me in", "8"), "guess"),
  words: ({ fields }) => feishuMarkup.plain(cardText(fields)),
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
