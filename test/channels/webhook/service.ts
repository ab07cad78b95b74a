import { inject } from "vitest";
import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { type WebhookAccount, webhookAccount } from "../../../src/channels/webhook/account.ts";
import { SERVICE_SECRET } from "../../fakes/platforms/webhook.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

/** A service at the other end of a signed webhook. */
export interface TestService {
  place: PlatformPlace;
  context: ChannelContext<WebhookAccount>;
  target: Target;
  /** A request of it, signed under an id. */
  request(body: BodyInit, options?: { id?: string; secret?: string; at?: number }): Promise<Request>;
}

/** A service of a test's own. The clock is the machine's, as the reference library's is. */
export function makeService(
  account: Partial<Record<keyof WebhookAccount, unknown>> = {},
  secret: string | undefined = SERVICE_SECRET,
): TestService {
  const place = platformPlace("webhook", inject("platforms"));
  return {
    place,
    context: {
      accountId: "default",
      account: webhookAccount.parse({ replyUrl: `${place.url}/replies`, ...account }),
      secret: ({ id }) => (id === "WEBHOOK_SECRET" ? secret : undefined),
      fetch,
      now: Date.now,
    },
    target: { channel: "webhook", accountId: "default", kind: "direct", conversationId: "ada" },
    request: signedRequest,
  };
}

/** Signs as the specification says, with none of the code under test. A stream is sent unsigned. */
export async function signedRequest(
  body: BodyInit,
  { id = "msg_1", secret = SERVICE_SECRET, at = Math.floor(Date.now() / 1000) } = {},
): Promise<Request> {
  const url = "https://isopod.test/channels/webhook/default/webhook";
  if (body instanceof ReadableStream) return new Request(url, { method: "POST", body });
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  const key = await crypto.subtle.importKey(
    "raw",
    Uint8Array.from(atob(secret.replace("whsec_", "")), (one) => one.charCodeAt(0)),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const content = new Uint8Array([...new TextEncoder().encode(`${id}.${at}.`), ...bytes]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": `v1,${btoa(String.fromCharCode(...signature))}`,
  };
  return new Request(url, { method: "POST", headers, body: bytes });
}
