import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { googlechat } from "../../../src/channels/googlechat/googlechat.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

const KEYS = "https://www.googleapis.com/oauth2/v3/certs";
const CHAT = "chat@system.gserviceaccount.com";
const KID = "of-the-evaluation";

const { privateKey, publicKey } = await generateKeyPair("RS256");
const jwk = { ...(await exportJWK(publicKey)), kid: KID };

function account(audience: unknown, botUser?: unknown): EvalAccount {
  return {
    account: typeof botUser === "string" ? { botUser } : {},
    secrets: { GOOGLE_CHAT_AUDIENCE: String(audience), GOOGLE_CHAT_SERVICE_ACCOUNT: "{}" },
  };
}

const ENDPOINT = "https://agent.example.com/channels/googlechat/default/webhook";

export const googlechatUnderEval: ChannelUnderEval = {
  channel: googlechat,
  schemes: ["googlechat"],
  platform: "googlechat",
  forVector: ({ config }) => account(config?.audience),
  forPayload: ({ account: bot }) => account(ENDPOINT, bot.botUser),
  async send({ raw }, url) {
    const token = await new SignJWT({ email: CHAT, email_verified: true })
      .setProtectedHeader({ alg: "RS256", kid: KID })
      .setIssuer("https://accounts.google.com")
      .setAudience(ENDPOINT)
      .setExpirationTime("100y")
      .sign(privateKey);
    const headers = { Authorization: `Bearer ${token}` };
    return new Request(url, { method: "POST", headers, body: JSON.stringify(raw) });
  },
  forSending: () => account(ENDPOINT),
  answer: ({ url }) => (url === KEYS ? Response.json({ keys: [jwk] }) : undefined),
};
