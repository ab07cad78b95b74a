import { createHmac } from "node:crypto";
import { slack } from "../../../src/channels/slack/slack.ts";
import type { ChannelUnderEval, EvalAccount, Payload } from "./channel-under-eval.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
/** The clocks of the vectors without one of their own, and of payloads. */
const VECTORS_AT_SEC = 1_767_225_600;
const PAYLOADS_AT_SEC = 1_790_000_000;

function account(signingSecret: string, botUserId?: string): EvalAccount {
  return {
    account: botUserId === undefined ? {} : { botUserId },
    secrets: { SLACK_SIGNING_SECRET: signingSecret, SLACK_BOT_TOKEN: "xoxb-x" },
  };
}

function signed(url: string, body: string, type: string, seconds: number): Request {
  const signature = createHmac("sha256", SECRET).update(`v0:${seconds}:${body}`).digest("hex");
  const headers = {
    "Content-Type": type,
    "X-Slack-Request-Timestamp": String(seconds),
    "X-Slack-Signature": `v0=${signature}`,
  };
  return new Request(url, { method: "POST", headers, body });
}

const FORM = "application/x-www-form-urlencoded";

function bodyOf({ transport, raw }: Payload): [body: string, type: string] {
  if (transport === "form") return [new URLSearchParams(raw as Record<string, string>).toString(), FORM];
  if (transport === "form-payload") return [new URLSearchParams({ payload: JSON.stringify(raw) }).toString(), FORM];
  return [JSON.stringify(raw), "application/json"];
}

export const slackUnderEval: ChannelUnderEval = {
  channel: slack,
  schemes: ["slack"],
  platform: "slack",
  forVector: ({ secret = SECRET }) => account(secret),
  request(vector, url) {
    const { body = "", headers = {}, url: own = url } = vector;
    // The handshake is recorded without the signature that it has.
    if (vector.headers === undefined) return signed(url, body, "application/json", VECTORS_AT_SEC);
    const bytes = vector.body_base64 === undefined ? body : Buffer.from(vector.body_base64, "base64");
    return new Request(own, { method: vector.method ?? "POST", headers, body: bytes });
  },
  forPayload: ({ account: { botUserId } }) => account(SECRET, botUserId === undefined ? undefined : String(botUserId)),
  send: (payload, url) => signed(url, ...bodyOf(payload), PAYLOADS_AT_SEC),
  forSending: () => account(SECRET),
};
