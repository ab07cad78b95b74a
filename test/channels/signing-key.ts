import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { lazy } from "../../src/lib/lazy.ts";

const pair = lazy(() => generateKeyPair("RS256", { extractable: true }));
const stranger = lazy(() => generateKeyPair("RS256"));

/** The id of the key with which tests sign the tokens of platforms. */
export const KEY_ID = "key-of-tests";

/** Its public half. */
export async function publicJwk() {
  return { ...(await exportJWK((await pair()).publicKey)), kid: KEY_ID, use: "sig", alg: "RS256" };
}

/** Signs a token. @param by `stranger`: with another key under the same id */
export async function signToken(claims: JWTPayload, { kid = KEY_ID, by }: { kid?: string; by?: "stranger" } = {}) {
  const { privateKey } = await (by === "stranger" ? stranger() : pair());
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ: "JWT", kid }).sign(privateKey);
}
