import { createHmac } from "node:crypto";
import { dingtalk } from "../../../src/channels/dingtalk/dingtalk.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

function account(config: Record<string, unknown>): EvalAccount {
  const { appKey = "ding1", appSecret = "secret", robotCode, token, aesKey } = config;
  const named = {
    DINGTALK_CLIENT_ID: appKey,
    DINGTALK_CLIENT_SECRET: appSecret,
    DINGTALK_ROBOT_CODE: robotCode,
    DINGTALK_TOKEN: token,
    DINGTALK_AES_KEY: aesKey,
  };
  const set = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return { account: {}, secrets: Object.fromEntries(set) };
}

export const dingtalkUnderEval: ChannelUnderEval = {
  channel: dingtalk,
  schemes: ["dingtalk"],
  platform: "dingtalk",
  forVector: ({ config = {} }) => account(config),
  forPayload: ({ account: { robotCode } }) => account({ robotCode }),
  send({ raw }, url) {
    const timestamp = "1790000000000";
    const sign = createHmac("sha256", "secret").update(`${timestamp}\nsecret`).digest("base64");
    return new Request(url, { method: "POST", headers: { timestamp, sign }, body: JSON.stringify(raw) });
  },
  forSending: () => account({}),
  answer: ({ url }) => (url.includes("accessToken") ? Response.json({ accessToken: "t", expireIn: 7200 }) : undefined),
};
