import { createHmac } from "node:crypto";
import { line } from "../../../src/channels/line/line.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

const CHANNEL_SECRET = "line channel secret";

function account(channelSecret = CHANNEL_SECRET): EvalAccount {
  return { account: {}, secrets: { LINE_CHANNEL_SECRET: channelSecret, LINE_CHANNEL_ACCESS_TOKEN: "token" } };
}

export const lineUnderEval: ChannelUnderEval = {
  channel: line,
  schemes: ["line"],
  platform: "line",
  forVector: ({ config = {}, secret }) => account(String(config.channelSecret ?? secret ?? CHANNEL_SECRET)),
  forPayload: () => account(),
  send({ raw }, url) {
    const body = JSON.stringify(raw);
    const signature = createHmac("sha256", CHANNEL_SECRET).update(body).digest("base64");
    return new Request(url, { method: "POST", headers: { "X-Line-Signature": signature }, body });
  },
  forSending: () => account(),
};
