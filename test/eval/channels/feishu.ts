import { createCipheriv, createHash } from "node:crypto";
import { feishu } from "../../../src/channels/feishu/feishu.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

const KEY = "evaluation";

function account(secrets: Record<string, unknown>, botOpenId = "ou_bot"): EvalAccount {
  const { appId = "cli_1", appSecret = "secret", encryptKey, verificationToken } = secrets;
  const named = {
    FEISHU_APP_ID: appId,
    FEISHU_APP_SECRET: appSecret,
    FEISHU_ENCRYPT_KEY: encryptKey,
    FEISHU_VERIFICATION_TOKEN: verificationToken,
  };
  const set = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return { account: { botOpenId }, secrets: Object.fromEntries(set) };
}

export const feishuUnderEval: ChannelUnderEval = {
  channel: feishu,
  schemes: ["feishu"],
  platform: "feishu",
  forVector: ({ config = {} }) => account(config),
  forPayload: ({ account: bot }) => account({ encryptKey: KEY }, String(bot.botOpenId)),
  send({ raw }, url) {
    const iv = Buffer.alloc(16, 1);
    const cipher = createCipheriv("aes-256-cbc", createHash("sha256").update(KEY).digest(), iv);
    const encrypted = Buffer.concat([iv, cipher.update(JSON.stringify(raw)), cipher.final()]).toString("base64");
    const body = JSON.stringify({ encrypt: encrypted });
    const time = "1790000000";
    const headers = {
      "X-Lark-Request-Timestamp": time,
      "X-Lark-Request-Nonce": "1",
      "X-Lark-Signature": createHash("sha256").update(`${time}1${KEY}${body}`).digest("hex"),
    };
    return new Request(url, { method: "POST", headers, body });
  },
  forSending: () => account({ encryptKey: KEY }),
  answer: ({ url }) =>
    url.includes("tenant_access_token")
      ? Response.json({ code: 0, tenant_access_token: "t", expire: 7200 })
      : undefined,
};
