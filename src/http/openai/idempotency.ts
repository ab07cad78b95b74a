import type { Context } from "hono";
import { shortDigest } from "../../lib/digest.ts";
import { IsopodError } from "../../lib/errors.ts";
import { base32 } from "../../lib/ids.ts";
import type { AcceptRequest } from "../../session-store/run-request.ts";
import { callerKey } from "../../session-store/run-request.ts";

const MAX_KEY_CHARS = 200;
/** How long after a request an official client may still retry it, at least; twice that at most. */
const RETRY_WINDOW_MS = 1_800_000;
/** How many equal requests within that time are kept apart from retries of one. */
const DUPLICATE_SUFFIXES = ["", "-2", "-3"];

/** By what a retry of a request is recognized; `digest` is of its content. */
export type RequestIdentity =
  /** The caller sent an `Idempotency-Key`. */
  | { kind: "keyed"; key: string; digest: string }
  /** An official client counts its attempts but sends no key, so the content identifies the request. */
  | { kind: "first-attempt" | "retry"; digest: string; now: number }
  | { kind: "unknown" };

/** The fields by which a session recognizes a request. */
export type Idempotency = Pick<AcceptRequest, "idempotencyKey" | "inputDigest" | "keySince">;

/**
 * The identity of a request.
 * @param content the request's body
 * @throws IsopodError `invalid_request` for a key that is too long
 */
export async function identifyRequest(c: Context, content: unknown, now: number): Promise<RequestIdentity> {
  const key = c.req.header("Idempotency-Key");
  if (key !== undefined && key.length > MAX_KEY_CHARS) {
    const message = `Idempotency-Key: it is longer than ${MAX_KEY_CHARS} characters`;
    throw new IsopodError("invalid_request", message, undefined, { param: "Idempotency-Key" });
  }
  const digest = await shortDigest(JSON.stringify([c.req.path, content]));
  if (key) return { kind: "keyed", key, digest };
  const attempts = c.req.header("X-Stainless-Retry-Count");
  if (attempts === undefined) return { kind: "unknown" };
  return { kind: attempts === "0" ? "first-attempt" : "retry", digest, now };
}

/** The idempotency of a request in a session that has other requests too. */
export function sharedSessionIdempotency(identity: RequestIdentity): Idempotency {
  switch (identity.kind) {
    case "unknown":
      return {};
    case "keyed":
      return { idempotencyKey: callerKey(identity.key), inputDigest: identity.digest };
    case "first-attempt":
      return { idempotencyKey: `openai:${identity.digest}`, keySince: identity.now };
    case "retry":
      return { idempotencyKey: `openai:${identity.digest}`, keySince: identity.now - RETRY_WINDOW_MS };
  }
}

/** The names under which a single-request session may exist, the likeliest first; none for an unknown identity. */
export async function candidateSessionNames(identity: RequestIdentity): Promise<string[]> {
  if (identity.kind === "unknown") return [];
  if (identity.kind === "keyed") return [await shortDigest(identity.key)];
  const window = Math.floor(identity.now / RETRY_WINDOW_MS);
  const [current, last] = [
    await shortDigest(`${identity.digest}:${window}`),
    await shortDigest(`${identity.digest}:${window - 1}`),
  ];
  if (identity.kind === "first-attempt") return DUPLICATE_SUFFIXES.map((suffix) => current + suffix);
  return [current, last].flatMap((name) => DUPLICATE_SUFFIXES.map((suffix) => name + suffix).reverse());
}

/** A session name that no other request has. */
export function randomSessionName(): string {
  return base32(crypto.getRandomValues(new Uint8Array(16)));
}
