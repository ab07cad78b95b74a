import { createPrivateKey, sign } from "node:crypto";
import { discord } from "../../../src/channels/discord/discord.ts";
import { readGatewayEvent } from "../../../src/channels/discord/gateway-event.ts";
import { fromHex } from "../../../src/security/hmac.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

/** RFC 8032's first key. */
const PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const KEY = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${SEED}`, "hex"),
  format: "der",
  type: "pkcs8",
});
const TIMESTAMP = "1790000000";

function account(publicKey: string): EvalAccount {
  return { account: {}, secrets: { DISCORD_PUBLIC_KEY: publicKey, DISCORD_BOT_TOKEN: "MTAwMA.eval.token" } };
}

function signedRequest(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>, url: string): Request {
  return new Request(url, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body });
}

export const discordUnderEval: ChannelUnderEval = {
  channel: discord,
  schemes: ["discord", "ed25519"],
  platform: "discord",
  forVector: ({ config, public_key: key = String(config?.publicKey) }) => account(key),
  request({ scheme, url, headers, body, body_base64, message_hex = "", signature_hex = "" }, here) {
    if (scheme === "ed25519") {
      // What is signed is the timestamp and then the body: here the whole of it is the body.
      const primitive = { "X-Signature-Timestamp": "", "X-Signature-Ed25519": signature_hex };
      return signedRequest(fromHex(message_hex) ?? new Uint8Array(), primitive, here);
    }
    const content = body_base64 === undefined ? (body ?? "") : Uint8Array.from(Buffer.from(body_base64, "base64"));
    return signedRequest(content, headers ?? {}, url ?? here);
  },
  forPayload: () => account(PUBLIC_KEY),
  send({ raw }, url) {
    const body = JSON.stringify(raw);
    const signature = sign(null, Buffer.from(TIMESTAMP + body), KEY).toString("hex");
    return signedRequest(body, { "X-Signature-Timestamp": TIMESTAMP, "X-Signature-Ed25519": signature }, url);
  },
  async take({ raw, account: bot }) {
    const { t, d } = raw as { t: string; d: unknown };
    return readGatewayEvent(t, d, {
      botId: String(bot.botUserId),
      botRoles: async () => [bot.botRoleIds ?? []].flat(),
      channel: async () => undefined,
      earlier: () => undefined,
    });
  },
  forSending: () => account(PUBLIC_KEY),
};
