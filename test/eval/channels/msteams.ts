import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { msteams } from "../../../src/channels/msteams/msteams.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

const OPEN_ID = "https://login.botframework.com/v1/.well-known/openidconfiguration";
const KEYS = "https://login.botframework.com/v1/.well-known/keys";
const ISSUER = "https://api.botframework.com";
const KID = "of-the-evaluation";

const { privateKey, publicKey } = await generateKeyPair("RS256");
const jwk = { ...(await exportJWK(publicKey)), kid: KID, endorsements: ["msteams"] };

function account({
  appId = "an-app",
  appPassword = "a-password",
  tenantId = "a-tenant",
}: Record<string, unknown>): EvalAccount {
  const secrets = { MSTEAMS_APP_ID: appId, MSTEAMS_APP_PASSWORD: appPassword, MSTEAMS_TENANT_ID: tenantId };
  return { account: {}, secrets: secrets as Record<string, string> };
}

export const msteamsUnderEval: ChannelUnderEval = {
  channel: msteams,
  schemes: ["teams"],
  platform: "msteams",
  forVector: ({ config = {} }) => account(config),
  forPayload: ({ account: bot }) => account(bot),
  async send({ raw, account: bot }, url) {
    const { serviceUrl } = raw as { serviceUrl?: string };
    const token = await new SignJWT({ serviceurl: serviceUrl })
      .setProtectedHeader({ alg: "RS256", kid: KID })
      .setIssuer(ISSUER)
      .setAudience(String(bot.appId))
      .setExpirationTime("100y")
      .sign(privateKey);
    const headers = { Authorization: `Bearer ${token}` };
    return new Request(url, { method: "POST", headers, body: JSON.stringify(raw) });
  },
  forSending: () => account({}),
  answer({ url }) {
    if (url === OPEN_ID) return Response.json({ issuer: ISSUER, jwks_uri: KEYS });
    return url === KEYS ? Response.json({ keys: [jwk] }) : undefined;
  },
};
