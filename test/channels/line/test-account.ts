import type { ChannelContext, InboundEvent, ReceiveResult, Target } from "../../../src/channels/channel.ts";
import { type LineAccount, lineAccount } from "../../../src/channels/line/account.ts";
import { line } from "../../../src/channels/line/line.ts";
import { hmac } from "../../../src/security/hmac.ts";
import { LINE_TOKEN } from "../../fakes/platforms/line.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

export const ADA = "U206d25c2ea6bd87c17655609a1c37cb8";
export const GROUP = "Ca56f94637cc4347f90a25382909b24b9";
export const NOW = 1_800_000_000_000;

const SECRETS: Record<string, string | undefined> = {
  LINE_CHANNEL_SECRET: "line-channel-secret",
  LINE_CHANNEL_ACCESS_TOKEN: LINE_TOKEN,
};

/** One account with a place of its own on LINE's server. */
export interface TestAccount {
  context: ChannelContext<LineAccount>;
  secrets: string[];
  place: PlatformPlace;
  /** A direct conversation with Ada. */
  target: Target;
  /** What comes of a call with these events. */
  take(...events: object[]): Promise<ReceiveResult>;
}

export function makeAccount(account: object = {}, secrets: Record<string, string | undefined> = {}): TestAccount {
  const known = { ...SECRETS, ...secrets };
  const place = platformPlace("line");
  const context: ChannelContext<LineAccount> = {
    accountId: "default",
    account: lineAccount.parse({ apiBase: place.url, dataApiBase: place.url, ...account }),
    secret: ({ id }) => known[id],
    fetch,
    now: () => NOW,
  };
  return {
    context,
    place,
    secrets: [LINE_TOKEN, "line-channel-secret"],
    target: { channel: "line", accountId: "default", kind: "direct", conversationId: ADA },
    take: async (...events) => line.receive(await signedCall(callOf(...events)), context),
  };
}

/** A call with these events. */
export function callOf(...events: object[]): object {
  return { destination: `U${"0".repeat(32)}`, events };
}

let lastEvent = 0;

/** An event of Ada's. */
export function eventOf(fields: object, source: object = { type: "user", userId: ADA }): object {
  const n = ++lastEvent;
  return {
    ...{ type: "message", mode: "active", timestamp: NOW, source, webhookEventId: `01EVENT${n}` },
    deliveryContext: { isRedelivery: false },
    ...fields,
  };
}

/** An event with a text of Ada's. */
export function textEvent(text: string, more: object = {}, source?: object): object {
  return eventOf({ replyToken: "token", message: { id: "3257", type: "text", text, ...more } }, source);
}

/** A call of the webhook with this body, as LINE signs it. */
export async function signedCall(body: object | BodyInit, secret = "line-channel-secret"): Promise<Request> {
  const url = "https://isopod.example/channels/line/default/webhook";
  if (body instanceof ReadableStream) return new Request(url, { method: "POST", body, duplex: "half" } as RequestInit);
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const bytes = new Uint8Array(await new Response(isRaw ? (body as BodyInit) : JSON.stringify(body)).arrayBuffer());
  const signature = btoa(String.fromCharCode(...(await hmac("SHA-256", secret, bytes))));
  return new Request(url, { method: "POST", headers: { "X-Line-Signature": signature }, body: bytes });
}

/** The events of a result, none where it is no more than answered. */
export function eventsOf(result: ReceiveResult): readonly InboundEvent[] {
  if (result.kind === "refused") throw new Error(`refused with ${result.response.status}`);
  return result.kind === "events" ? result.events : [];
}
