import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import { IsopodError, messageOf } from "../lib/errors.ts";

/** The application of Cloudflare Access in front of the Worker. */
export interface AccessApplication {
  /** The team's origin, such as `https://example.cloudflareaccess.com`. */
  teamDomain: string;
  /** The application's audience tags. */
  audience: readonly string[];
}

/** Whom Access let in: a person by mail address, or a service token by its client id. */
export interface AccessIdentity {
  kind: "person" | "service";
  name: string;
  /** When Access issued the token, in seconds since the epoch. */
  issuedAt: number | undefined;
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** The signing keys of teams. jose keeps them for ten minutes and asks again for a key that it does not know. */
const keySets = new Map<string, KeySet>();

/**
 * The identity in an application token, the header `Cf-Access-Jwt-Assertion`.
 * Source: https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/
 * @throws IsopodError `unauthorized` naming what is wrong with the token, `unavailable` if the keys cannot be read
 */
export async function verifyAccessToken(
  token: string,
  { teamDomain, audience }: AccessApplication,
): Promise<AccessIdentity> {
  const issuer = new URL(teamDomain).origin;
  const keys = keySets.get(issuer) ?? createRemoteJWKSet(new URL("/cdn-cgi/access/certs", issuer));
  keySets.set(issuer, keys);
  try {
    const options = { issuer, audience: [...audience], algorithms: ["RS256"], requiredClaims: ["exp"] };
    const { payload } = await jwtVerify(token, keys, options);
    const { email, common_name: clientId, iat: issuedAt } = payload;
    if (typeof email === "string" && email !== "") return { kind: "person", name: email.toLowerCase(), issuedAt };
    if (typeof clientId === "string" && clientId !== "") return { kind: "service", name: clientId, issuedAt };
  } catch (error) {
    if (isOfToken(error)) throw refused(error.message);
    throw new IsopodError(
      "unavailable",
      `The signing keys of ${issuer} cannot be read: ${messageOf(error)}`,
      "Check security.access.teamDomain, or log in with the access token.",
    );
  }
  throw refused("it names neither a person nor a service token");
}

/** Whether the token is at fault, and not the server with the keys. */
function isOfToken(error: unknown): error is errors.JOSEError {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== "ERR_JOSE_GENERIC"
  );
}

function refused(reason: string): IsopodError {
  return new IsopodError(
    "unauthorized",
    `The token of Cloudflare Access is not valid: ${reason}.`,
    "Compare security.access.teamDomain and .audience with the application in Zero Trust.",
  );
}
