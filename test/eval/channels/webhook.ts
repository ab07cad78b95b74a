import { webhook } from "../../../src/channels/webhook/webhook.ts";
import type { ChannelUnderEval, EvalAccount, Payload } from "./channel-under-eval.ts";

function account(...secrets: string[]): EvalAccount {
  return {
    account: { replyUrl: "https://service.example.com/replies" },
    secrets: { WEBHOOK_SECRET: secrets.join(",") },
  };
}

export const webhookUnderEval: ChannelUnderEval = {
  channel: webhook,
  schemes: ["standard-webhooks"],
  platform: "webhook",
  forVector({ config = {}, secret = "", public_key: publicKey }) {
    const { secrets = [publicKey ?? secret] } = config;
    return account(...(secrets as string[]));
  },
  forPayload: () => account("whsec_YSBzZWNyZXQgb2YgZXZhbHVhdGlvbnM="),
  send({ name }: Payload) {
    throw new Error(`No payload of a webhook is known, such as ${name}.`);
  },
  forSending: () => account("whsec_YSBzZWNyZXQgb2YgZXZhbHVhdGlvbnM="),
};
