import { createHmac } from "node:crypto";
import { whatsapp } from "../../../src/channels/whatsapp/whatsapp.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

const APP_SECRET = "whatsapp app secret";

function account(phoneNumberId: string, { appSecret = APP_SECRET, verifyToken = "word" } = {}): EvalAccount {
  return {
    account: { phoneNumberId },
    secrets: {
      WHATSAPP_ACCESS_TOKEN: "token",
      WHATSAPP_APP_SECRET: appSecret,
      WHATSAPP_VERIFY_TOKEN: verifyToken,
    },
  };
}

export const whatsappUnderEval: ChannelUnderEval = {
  channel: whatsapp,
  schemes: ["whatsapp"],
  platform: "whatsapp",
  forVector({ config = {}, secret, verify_token: word }) {
    const appSecret = String(config.appSecret ?? secret ?? APP_SECRET);
    return account(String(config.phoneNumberId ?? "1"), { appSecret, verifyToken: String(config.verifyToken ?? word) });
  },
  request: ({ request: line }, url) => (line?.startsWith("GET ?") ? new Request(url + line.slice(4)) : undefined),
  forPayload: ({ account: business }) => account(String(business.phoneNumberId)),
  send({ raw }, url) {
    const body = JSON.stringify(raw);
    const signature = `sha256=${createHmac("sha256", APP_SECRET).update(body).digest("hex")}`;
    return new Request(url, { method: "POST", headers: { "X-Hub-Signature-256": signature }, body });
  },
  forSending: () => account("100000000000001"),
};
