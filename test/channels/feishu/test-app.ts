import { createCipheriv, createHash } from "node:crypto";
import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { type FeishuAccount, feishuAccount } from "../../../src/channels/feishu/account.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

const NOW = 1_800_000_000_000;

/** One app on the server of platforms. */
export interface TestApp extends Pick<PlatformPlace, "calls" | "script"> {
  secrets: { appSecret: string; encryptKey: string; verificationToken: string };
  context: ChannelContext<FeishuAccount>;
  target: Target;
  /** A call of the webhook as Feishu makes it: encrypted and signed. */
  event(json: unknown, change?: { timestamp?: number; encryptKey?: string }): Request;
  /** A signed call with this body. */
  signed(body: BodyInit, change?: { timestamp?: number; encryptKey?: string }): Request;
}

export function makeApp(
  account: Record<string, unknown> = {},
  others: Record<string, string | undefined> = {},
): TestApp {
  const place = platformPlace("feishu");
  const random = crypto.randomUUID();
  const secrets = {
    appSecret: `secret-${random}`,
    encryptKey: `encrypt-${random}`,
    verificationToken: `verify-${random}`,
  };
  const known: Record<string, string | undefined> = {
    FEISHU_APP_ID: "cli_1",
    FEISHU_APP_SECRET: secrets.appSecret,
    FEISHU_ENCRYPT_KEY: secrets.encryptKey,
    FEISHU_VERIFICATION_TOKEN: secrets.verificationToken,
    ...others,
  };
  const signed: TestApp["signed"] = (body, { timestamp = NOW / 1000, encryptKey = secrets.encryptKey } = {}) => {
    const bytes = body instanceof Uint8Array ? body : typeof body === "string" ? body : "";
    const headers = signedHeaders(bytes, encryptKey, timestamp);
    return new Request("https://isopod.example/channels/feishu/default/webhook", { method: "POST", headers, body });
  };
  return {
    calls: place.calls,
    script: place.script,
    secrets,
    context: {
      accountId: "default",
      account: feishuAccount.parse({ domain: place.url, ...account }),
      secret: (ref) => known[ref.id],
      fetch,
      now: () => NOW,
    },
    target: { channel: "feishu", accountId: "default", kind: "group", conversationId: "oc_1" },
    signed,
    event: (json, change) =>
      signed(JSON.stringify({ encrypt: encrypt(json, change?.encryptKey ?? secrets.encryptKey) }), change),
  };
}

/** What Feishu signs a body with. */
export function signedHeaders(body: string | Uint8Array, encryptKey: string, timestamp: number) {
  const hash = createHash("sha256")
    .update(Buffer.from(`${timestamp}nonce${encryptKey}`))
    .update(Buffer.from(body));
  return {
    "X-Lark-Request-Timestamp": String(timestamp),
    "X-Lark-Request-Nonce": "nonce",
    "X-Lark-Signature": hash.digest("hex"),
  };
}

/** What Feishu encrypts events with. */
export function encrypt(json: unknown, encryptKey: string): string {
  const iv = Buffer.alloc(16, 7);
  const cipher = createCipheriv("aes-256-cbc", createHash("sha256").update(encryptKey).digest(), iv);
  return Buffer.concat([iv, cipher.update(Buffer.from(JSON.stringify(json))), cipher.final()]).toString("base64");
}

/** A message event. */
export function received(
  { secrets }: Pick<TestApp, "secrets">,
  message: Record<string, unknown> = {},
  sender: Record<string, unknown> = {},
) {
  return eventOf({ secrets }, "im.message.receive_v1", {
    sender: { sender_id: { union_id: "on_ada", open_id: "ou_ada" }, sender_type: "user", ...sender },
    message: {
      message_id: "om_in_1",
      create_time: "1767225600000",
      chat_id: "oc_1",
      chat_type: "p2p",
      message_type: "text",
      content: JSON.stringify({ text: "hello" }),
      ...message,
    },
  });
}

/** An event of any type. */
export function eventOf({ secrets }: Pick<TestApp, "secrets">, type: string, event: unknown) {
  const header = { event_id: `ev-${type}`, event_type: type, token: secrets.verificationToken, app_id: "cli_1" };
  return { schema: "2.0", header, event };
}

/** The text of a card that was sent. */
export function cardText(fields: Record<string, unknown>): string {
  const { elements } = JSON.parse(String(fields.content)).body;
  return elements[0].content ?? elements[0].text.content;
}
