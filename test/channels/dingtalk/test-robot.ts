import { createHmac } from "node:crypto";
import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { type DingtalkAccount, dingtalkAccount } from "../../../src/channels/dingtalk/account.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

const NOW = 1_800_000_000_000;
export const AES_KEY = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG";

/** One robot on the server of platforms. */
export interface TestRobot extends Pick<PlatformPlace, "calls" | "script" | "url"> {
  secrets: { clientSecret: string; token: string };
  context: ChannelContext<DingtalkAccount>;
  target: Target;
  /** A call with this body, signed as DingTalk does. */
  signed(body: BodyInit, change?: { timestamp?: number; key?: string }): Request;
}

export function makeRobot(
  account: Record<string, unknown> = {},
  others: Record<string, string | undefined> = {},
): TestRobot {
  const place = platformPlace("dingtalk");
  const random = crypto.randomUUID();
  const secrets = { clientSecret: `secret-${random}`, token: `token-${random}` };
  const known: Record<string, string | undefined> = {
    DINGTALK_CLIENT_ID: "ding1",
    DINGTALK_CLIENT_SECRET: secrets.clientSecret,
    DINGTALK_TOKEN: secrets.token,
    DINGTALK_AES_KEY: AES_KEY,
    ...others,
  };
  return {
    ...place,
    secrets,
    context: {
      accountId: "default",
      account: dingtalkAccount.parse({ apiBase: place.url, oapiBase: place.url, ...account }),
      secret: (ref) => known[ref.id],
      fetch,
      now: () => NOW,
    },
    target: { channel: "dingtalk", accountId: "default", kind: "group", conversationId: "cidTEST==" },
    signed: (body, { timestamp = NOW, key = secrets.clientSecret } = {}) =>
      new Request("https://isopod.example/channels/dingtalk/default/webhook", {
        method: "POST",
        headers: signedHeaders(timestamp, key),
        body,
      }),
  };
}

/** The headers of a robot's message. */
export function signedHeaders(timestamp: number, key: string): Record<string, string> {
  const sign = createHmac("sha256", key)
    .update(Buffer.from(`${timestamp}\n${key}`))
    .digest("base64");
  return { "Content-Type": "application/json", timestamp: String(timestamp), sign };
}

/** A robot's message. */
export function messageOf(more: Record<string, unknown> = {}) {
  return {
    conversationId: "cidTEST==",
    conversationType: "1",
    chatbotUserId: "$:LWCP_v1:$bot",
    msgId: "msgTEST+1==",
    senderId: "$:LWCP_v1:$ada",
    senderStaffId: "ada1",
    senderNick: "Ada",
    createAt: NOW,
    msgtype: "text",
    text: { content: " hello " },
    ...more,
  };
}

/** The words of a message that was sent, to an address or as the robot. */
export function wordsOf({ markdown, msgParam }: Record<string, any>): string {
  return markdown?.text ?? JSON.parse(String(msgParam)).text;
}
