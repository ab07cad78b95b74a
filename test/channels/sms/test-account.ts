import type { ChannelContext, InboundEvent, ReceiveResult, Target } from "../../../src/channels/channel.ts";
import { type SmsAccount, smsAccount } from "../../../src/channels/sms/account.ts";
import { sms } from "../../../src/channels/sms/sms.ts";
import { hmac } from "../../../src/security/hmac.ts";
import { TWILIO_NUMBER, TWILIO_SID, TWILIO_TOKEN } from "../../fakes/platforms/sms.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

export const ADA = "+15017122661";
export const WEBHOOK = "https://isopod.example/channels/sms/default/webhook";

const SECRETS: Record<string, string | undefined> = {
  TWILIO_ACCOUNT_SID: TWILIO_SID,
  TWILIO_AUTH_TOKEN: TWILIO_TOKEN,
  TWILIO_PHONE_NUMBER: TWILIO_NUMBER,
};

/** One account with a place of its own on Twilio's server. */
export interface TestAccount {
  context: ChannelContext<SmsAccount>;
  secrets: string[];
  place: PlatformPlace;
  /** A conversation with Ada. */
  target: Target;
  /** What comes of a call with these fields. */
  take(fields: Record<string, string>, url?: string): Promise<ReceiveResult>;
}

export function makeAccount(account: object = {}, secrets: Record<string, string | undefined> = {}): TestAccount {
  const known = { ...SECRETS, ...secrets };
  const place = platformPlace("sms");
  const context: ChannelContext<SmsAccount> = {
    accountId: "default",
    account: smsAccount.parse({ apiBase: place.url, messagingApiBase: place.url, ...account }),
    secret: ({ id }) => known[id],
    fetch,
    now: () => 1_800_000_000_000,
    publicUrl: "https://isopod.example",
  };
  return {
    context,
    place,
    secrets: [TWILIO_TOKEN, btoa(`${TWILIO_SID}:${TWILIO_TOKEN}`)],
    target: { channel: "sms", accountId: "default", kind: "direct", conversationId: ADA },
    take: async (fields, url = WEBHOOK) => sms.receive(await signedForm(fields, { url }), context),
  };
}

/** The fields of a message of Ada's. */
export function messageFields(more: Record<string, string> = {}): Record<string, string> {
  return {
    MessageSid: "SM00000000000000000000000000000001",
    AccountSid: TWILIO_SID,
    From: ADA,
    To: TWILIO_NUMBER,
    Body: "hello",
    NumMedia: "0",
    ...more,
  };
}

/** A call with a form, signed as Twilio signs it: for `signedUrl`, which is the address that it thinks it calls. */
export async function signedForm(
  fields: Record<string, string> | string,
  { url = WEBHOOK, signedUrl = url, token = TWILIO_TOKEN }: { url?: string; signedUrl?: string; token?: string } = {},
): Promise<Request> {
  const body = typeof fields === "string" ? fields : new URLSearchParams(fields).toString();
  const pairs = [...new URLSearchParams(body)].sort(([one], [other]) => (one < other ? -1 : 1));
  const data = signedUrl + pairs.map(([name, value]) => name + value).join("");
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    "X-Twilio-Signature": await signature(data, token),
  };
  return new Request(url, { method: "POST", headers, body });
}

/** What Twilio signs with, in base64. */
export async function signature(data: string, token = TWILIO_TOKEN): Promise<string> {
  return btoa(String.fromCharCode(...(await hmac("SHA-1", token, data))));
}

/** The events of a result, none where it is no more than answered. */
export function eventsOf(result: ReceiveResult): readonly InboundEvent[] {
  if (result.kind === "refused") throw new Error(`refused with ${result.response.status}`);
  return result.kind === "events" ? result.events : [];
}
