import { createHmac } from "node:crypto";
import { github } from "../../../src/channels/github/github.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

function account(webhookSecret: string, username = "isopod-agent"): EvalAccount {
  return { account: { username }, secrets: { GITHUB_WEBHOOK_SECRET: webhookSecret, GITHUB_TOKEN: "ghp_x" } };
}

export const githubUnderEval: ChannelUnderEval = {
  channel: github,
  schemes: ["github"],
  platform: "github",
  forVector: ({ config, secret = "" }) => account(String(config?.webhookSecret ?? secret)),
  forPayload: ({ account: agent }) => account("secret", String(agent.mention).replace("@", "")),
  send({ raw, headers }, url) {
    const body = JSON.stringify(raw);
    const signature = createHmac("sha256", "secret").update(body).digest("hex");
    const signed = { "content-type": "application/json", ...headers, "x-hub-signature-256": `sha256=${signature}` };
    return new Request(url, { method: "POST", headers: signed, body });
  },
  forSending: () => account("secret"),
};
