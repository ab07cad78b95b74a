import { errors, importJWK, importX509, type JWK, type JWTPayload, jwtVerify } from "jose";
import { within } from "../lib/deadline.ts";

/** A public key as its owner publishes it; a key set may say more of it than the standard does. */
export type PublishedKey = { jwk: JWK & Record<string, unknown> } | { certificate: string };

/** The published keys, by their ids. */
export type PublishedKeys = ReadonlyMap<string, PublishedKey>;

/** Where a platform publishes the keys with which it signs its tokens. */
export interface KeySource {
  url: string;
  fetch: typeof fetch;
  /** Reads them; undefined if they cannot be had. */
  read(signal: AbortSignal): Promise<PublishedKeys | undefined>;
}

/** What a token has to say. */
export interface TokenRules {
  issuer: string | string[];
  audience: string;
  /** Milliseconds since the epoch. */
  now: number;
}

export type VerifiedToken =
  | { kind: "valid"; claims: JWTPayload; key: PublishedKey }
  | { kind: "invalid"; reason: string }
  /** The keys cannot be had: whether it is valid is not known. */
  | { kind: "unavailable" };

/** How far the clocks of both sides may be apart. */
const CLOCK_TOLERANCE_SEC = 5 * 60;

/** The token that a request carries; undefined if it carries none. */
export function bearerToken(request: Request): string | undefined {
  return /^Bearer ([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(request.headers.get("Authorization") ?? "")?.[1];
}

/** Verifies a token that a platform signed with RS256. Asks for keys that this isolate does not know. Never throws. */
export async function verifySignedToken(
  token: string | undefined,
  source: KeySource,
  { issuer, audience, now }: TokenRules,
): Promise<VerifiedToken> {
  if (token === undefined) return { kind: "invalid", reason: "there is no bearer token" };
  let key: PublishedKey | undefined;
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid = "" }) => {
        key = await findKey(source, kid, now);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return "jwk" in key ? importJWK(key.jwk, "RS256") : importX509(key.certificate, "RS256");
      },
      {
        ...{ issuer, audience, algorithms: ["RS256"], requiredClaims: ["exp"] },
        ...{ clockTolerance: CLOCK_TOLERANCE_SEC, currentDate: new Date(now) },
      },
    );
    if (key !== undefined) return { kind: "valid", claims: payload, key };
  } catch (error) {
    if (error instanceof KeysUnavailable) return { kind: "unavailable" };
    if (error instanceof errors.JOSEError) return { kind: "invalid", reason: error.message };
  }
  return { kind: "invalid", reason: "it cannot be read" };
}

class KeysUnavailable extends Error {}

const READ_TIMEOUT_MS = 5_000;
/** Keys are read again after this time. */
const MAX_AGE_MS = 24 * 3_600_000;
/** A token with an unknown key makes them be read again after this time, so that forged tokens cost few requests. */
const MIN_AGE_MS = 5 * 60_000;

/** What each way out of this isolate has read at an address. */
const remembered = new WeakMap<typeof fetch, Map<string, { keys: PublishedKeys; readAt: number }>>();

/** @throws KeysUnavailable */
async function findKey({ url, fetch, read }: KeySource, kid: string, now: number): Promise<PublishedKey | undefined> {
  const memory = remembered.get(fetch) ?? new Map<string, { keys: PublishedKeys; readAt: number }>();
  remembered.set(fetch, memory);
  const known = memory.get(url);
  const ageMs = known === undefined ? Number.POSITIVE_INFINITY : now - known.readAt;
  const key = known?.keys.get(kid);
  if (ageMs < MIN_AGE_MS || (key !== undefined && ageMs < MAX_AGE_MS)) return key;
  const keys = await within(READ_TIMEOUT_MS, read);
  if (keys === undefined) throw new KeysUnavailable();
  memory.set(url, { keys, readAt: now });
  return keys.get(kid);
}
