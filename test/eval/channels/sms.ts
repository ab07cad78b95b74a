import { createHmac } from "node:crypto";
import { sms } from "../../../src/channels/sms/sms.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

const AUTH_TOKEN = "twilio auth token";
const ACCOUNT_SID = `AC${"0".repeat(32)}`;

function account(more: Record<string, string> = {}, authToken = AUTH_TOKEN): EvalAccount {
  return { account: { accountSid: ACCOUNT_SID, ...more }, secrets: { TWILIO_AUTH_TOKEN: authToken } };
}

export const smsUnderEval: ChannelUnderEval = {
  channel: sms,
  schemes: ["twilio"],
  platform: "sms",
  forVector({ config = {}, secret, url }) {
    const webhookUrl = String(config.webhookUrl ?? url);
    return account({ webhookUrl }, String(config.authToken ?? secret ?? AUTH_TOKEN));
  },
  forPayload: ({ account: business }) => account({ from: String(business.number) }),
  send({ raw }, url) {
    const fields = Object.entries(raw as Record<string, string>).sort(([one], [other]) => (one < other ? -1 : 1));
    const data = url + fields.map(([name, value]) => name + value).join("");
    const signature = createHmac("sha1", AUTH_TOKEN).update(data).digest("base64");
    const body = new URLSearchParams(fields);
    return new Request(url, { method: "POST", headers: { "X-Twilio-Signature": signature }, body });
  },
  forSending: () => account({ from: "+15558675310" }),
};
