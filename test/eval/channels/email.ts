import type { ChannelContext } from "../../../src/channels/channel.ts";
import type { EmailAccount } from "../../../src/channels/email/account.ts";
import { email } from "../../../src/channels/email/email.ts";
import { receiveEmail } from "../../../src/channels/email/receive.ts";
import { refuse } from "../../../src/channels/webhook.ts";
import type { ChannelUnderEval, EvalAccount, Payload } from "./channel-under-eval.ts";

/** Payloads come by many servers, and some by none that checks anything. */
const VERIFIER = "mx.example.com";

function account(address: string): EvalAccount {
  return { account: { addresses: [address], verifier: VERIFIER, unverified: "stranger" }, secrets: {} };
}

/** MAIL FROM is kept in Return-Path; a message without it was not bounced. */
function envelopeFrom(raw: string): string {
  return /^Return-Path:\s*<([^>]*)>/im.exec(raw)?.[1] ?? "sender@example.org";
}

export const emailUnderEval: ChannelUnderEval = {
  channel: email,
  schemes: [],
  platform: "email",
  forVector: () => account("agent@agent.example.com"),
  forPayload: ({ account: { address } }) => account(String(address)),
  send({ name }: Payload) {
    throw new Error(`A mail comes by no webhook: ${name}.`);
  },
  async take({ raw_base64 = "", account: { address } }, context) {
    const raw = Uint8Array.from(Buffer.from(raw_base64, "base64"));
    const mail = { from: envelopeFrom(Buffer.from(raw).toString("latin1")), to: String(address), raw };
    const result = await receiveEmail(mail, context as ChannelContext<EmailAccount>);
    return result.kind === "rejected" ? refuse("invalid_request", result.reason) : result;
  },
  forSending: () => account("agent@agent.example.com"),
};
