import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { frameSignature, sealFrame } from "../../../src/channels/framed-cipher.ts";
import { type WecomAccount, wecomAccount } from "../../../src/channels/wecom/account.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

const NOW = 1_800_000_000_000;
export const AES_KEY = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG";

/** One application on the server of platforms. */
export interface TestApplication extends Pick<PlatformPlace, "calls" | "script"> {
  secrets: { token: string; secret: string };
  context: ChannelContext<WecomAccount>;
  target: Target;
  /** A call of the receiver with these fields, encrypted and signed as WeCom does. */
  message(fields: Record<string, string | number>, change?: Change): Promise<Request>;
  /** The same with a message of any text. */
  sealed(message: string, change?: Change): Promise<Request>;
  /** A call with this body, whose signature is that of no message. */
  signed(body: BodyInit): Promise<Request>;
  /** The receiver's verification. */
  verification(echo: string, change?: Change): Promise<Request>;
}

interface Change {
  token?: string;
  timestamp?: number;
  receiver?: string;
}

export function makeApplication(
  account: Record<string, unknown> = {},
  others: Record<string, string | undefined> = {},
): TestApplication {
  const place = platformPlace("wecom");
  const random = crypto.randomUUID();
  const secrets = { token: `token${random}`, secret: `secret-${random}` };
  const known: Record<string, string | undefined> = {
    WECOM_CORP_ID: `ww${random.slice(0, 8)}`,
    WECOM_AGENT_ID: "1000002",
    WECOM_SECRET: secrets.secret,
    WECOM_TOKEN: secrets.token,
    WECOM_ENCODING_AES_KEY: AES_KEY,
    ...others,
  };
  const receiver = known.WECOM_CORP_ID ?? "";
  const call = (encrypted: string, change: Change = {}) =>
    signedCall(encrypted, { token: secrets.token, timestamp: NOW / 1000, ...change });
  const sealed: TestApplication["sealed"] = async (message, change) => {
    const encrypted = (await sealFrame(AES_KEY, { message, receiver: change?.receiver ?? receiver })) ?? "";
    return post(await call(encrypted, change), encrypted);
  };
  return {
    calls: place.calls,
    script: place.script,
    secrets,
    context: {
      accountId: "default",
      account: wecomAccount.parse({ apiBase: place.url, ...account }),
      secret: (ref) => known[ref.id],
      fetch,
      now: () => NOW,
    },
    target: { channel: "wecom", accountId: "default", kind: "direct", conversationId: "ada" },
    message: (fields, change) => sealed(xmlOf(fields), change),
    sealed,
    signed: async (body) => new Request(await call(""), { method: "POST", body }),
    async verification(echo, change) {
      const encrypted = (await sealFrame(AES_KEY, { message: echo, receiver: change?.receiver ?? receiver })) ?? "";
      return new Request(`${await call(encrypted, change)}&echostr=${encodeURIComponent(encrypted)}`);
    },
  };
}

/** The receiver's address with the signature of an encrypted message. */
export async function signedCall(
  encrypted: string,
  { token, timestamp, base = "https://isopod.example" }: { token: string; timestamp: number; base?: string },
): Promise<string> {
  const signature = await frameSignature([token, String(timestamp), "nonce", encrypted]);
  const query = new URLSearchParams({ msg_signature: signature, timestamp: String(timestamp), nonce: "nonce" });
  return `${base}/channels/wecom/default/webhook?${query}`;
}

export function post(url: string, encrypted: string): Request {
  const body = `<xml><ToUserName><![CDATA[ww]]></ToUserName><Encrypt><![CDATA[${encrypted}]]></Encrypt></xml>`;
  return new Request(url, { method: "POST", headers: { "Content-Type": "text/xml" }, body });
}

/** Fields as WeCom writes them. */
export function xmlOf(fields: Record<string, string | number>): string {
  const parts = Object.entries(fields).map(([name, value]) =>
    typeof value === "number" ? `<${name}>${value}</${name}>` : `<${name}><![CDATA[${value}]]></${name}>`,
  );
  return `<xml>${parts.join("\n")}</xml>`;
}

/** A text of a member. */
export function textOf(text: string, more: Record<string, string | number> = {}) {
  const head = { ToUserName: "ww", FromUserName: "ada", CreateTime: 1_800_000_000, MsgType: "text" };
  return { ...head, Content: text, MsgId: "6054768590064713728", AgentID: 1000002, ...more };
}

/** The words of a message that was sent. */
export function contentOf(fields: Record<string, any>): string {
  const { msgtype } = fields;
  return msgtype === "template_card" ? fields.template_card.sub_title_text : fields[msgtype].content;
}
