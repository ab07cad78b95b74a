import type { ChannelContext, InboundEvent, ReceiveResult, Target } from "../../../src/channels/channel.ts";
import { type WhatsAppAccount, whatsappAccount } from "../../../src/channels/whatsapp/account.ts";
import { whatsapp } from "../../../src/channels/whatsapp/whatsapp.ts";
import { hmac, toHex } from "../../../src/security/hmac.ts";
import { WHATSAPP_TOKEN } from "../../fakes/platforms/whatsapp.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

export const NUMBER_ID = "100000000000001";
export const OWN_NUMBER = "15550001111";
export const ADA = "15550002222";

const SECRETS: Record<string, string | undefined> = {
  WHATSAPP_ACCESS_TOKEN: WHATSAPP_TOKEN,
  WHATSAPP_APP_SECRET: "whatsapp-app-secret",
  WHATSAPP_VERIFY_TOKEN: "whatsapp-verify-token",
  WHATSAPP_PHONE_NUMBER_ID: NUMBER_ID,
};

/** One number with a place of its own on Meta's server. */
export interface TestNumber {
  context: ChannelContext<WhatsAppAccount>;
  secrets: string[];
  place: PlatformPlace;
  /** A direct conversation with Ada. */
  target: Target;
  /** A call of the webhook with this body, as Meta signs it. */
  signed(body: BodyInit, secret?: string): Promise<Request>;
  /** What comes of a change of the field `messages`. */
  take(value: object): Promise<ReceiveResult>;
}

export function makeNumber(account: object = {}, secrets: Record<string, string | undefined> = {}): TestNumber {
  const known = { ...SECRETS, ...secrets };
  const place = platformPlace("whatsapp");
  const context: ChannelContext<WhatsAppAccount> = {
    accountId: "default",
    account: whatsappAccount.parse({ apiBase: place.url, ...account }),
    secret: ({ id }) => known[id],
    fetch,
    now: () => 1_800_000_000_000,
  };
  const signed = async (body: BodyInit, secret = known.WHATSAPP_APP_SECRET ?? "") => {
    const url = "https://isopod.example/channels/whatsapp/default/webhook";
    if (body instanceof ReadableStream)
      return new Request(url, { method: "POST", body, duplex: "half" } as RequestInit);
    const bytes = new Uint8Array(await new Response(body).arrayBuffer());
    const headers = { "X-Hub-Signature-256": `sha256=${toHex(await hmac("SHA-256", secret, bytes))}` };
    return new Request(url, { method: "POST", headers, body: bytes });
  };
  return {
    context,
    place,
    signed,
    secrets: [WHATSAPP_TOKEN, "whatsapp-app-secret", "whatsapp-verify-token"],
    target: { channel: "whatsapp", accountId: "default", kind: "direct", conversationId: ADA },
    take: async (value) => whatsapp.receive(await signed(JSON.stringify(notificationOf(value))), context),
  };
}

/** A notification with one change of a number, as Meta sends it. */
export function notificationOf(value: object, numberId = NUMBER_ID): object {
  const metadata = { display_phone_number: OWN_NUMBER, phone_number_id: numberId };
  const change = { field: "messages", value: { messaging_product: "whatsapp", metadata, ...value } };
  return { object: "whatsapp_business_account", entry: [{ id: "100000000000002", changes: [change] }] };
}

/** The value of a change that brings a message of Ada's. */
export function messageOf(fields: object, from = ADA): object {
  return {
    contacts: [{ profile: { name: "Ada" }, wa_id: from }],
    messages: [{ from, id: "wamid.IN1", timestamp: "1800000000", ...fields }],
  };
}

/** The events of a result, none where it is no more than answered. */
export function eventsOf(result: ReceiveResult): readonly InboundEvent[] {
  if (result.kind === "refused") throw new Error(`refused with ${result.response.status}`);
  return result.kind === "events" ? result.events : [];
}
