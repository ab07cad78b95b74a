import type { Context } from "hono";
import { IsopodError } from "../../lib/errors.ts";
import { base32 } from "../../lib/ids.ts";
import { shortDigest } from "../../lib/short-digest.ts";
import { type AcceptRequest, callerKey } from "../../session-store/run-request.ts";

const MAX_KEY_CHARS = 200;
/** How long after a request an official client may still repeat it, at least; twice that at most. */
const REPEAT_MS = 1_800_000;
/** How many equal requests, made within that time, can be told from repetitions of one. */
const TWINS = ["", "-2", "-3"];

/** How a request is known again when it is repeated. */
export type Repeat =
  /** The caller names it. */
  | { kind: "keyed"; key: string; print: string }
  /** An official client counts its tries of a request but gives it no name, so what it says has to do. */
  | { kind: "first" | "again"; print: string; now: number }
  | { kind: "unknown" };

/** What a session needs to know a request again. */
export type Idempotency = Pick<AcceptRequest, "idempotencyKey" | "inputDigest" | "keySince">;

/**
 * How a request is known again.
 * @param content what it says
 * @throws IsopodError `invalid_request` for a key that is too long
 */
export async function repeatOf(c: Context, content: unknown, now: number): Promise<Repeat> {
  const key = c.req.header("Idempotency-Key");
  if (key !== undefined && key.length > MAX_KEY_CHARS) {
    const message = `Idempotency-Key: it is longer than ${MAX_KEY_CHARS} characters`;
    throw new IsopodError("invalid_request", message, undefined, { param: "Idempotency-Key" });
  }
  const print = await shortDigest(JSON.stringify([c.req.path, content]));
  if (key) return { kind: "keyed", key, print };
  const tries = c.req.header("X-Stainless-Retry-Count");
  if (tries === undefined) return { kind: "unknown" };
  return { kind: tries === "0" ? "first" : "again", print, now };
}

/** How a request is known again in a session that has others. */
export function amongOthers(repeat: Repeat): Idempotency {
  switch (repeat.kind) {
    case "unknown":
      return {};
    case "keyed":
      return { idempotencyKey: callerKey(repeat.key), inputDigest: repeat.print };
    case "first":
      return { idempotencyKey: `openai:${repeat.print}`, keySince: repeat.now };
    case "again":
      return { idempotencyKey: `openai:${repeat.print}`, keySince: repeat.now - REPEAT_MS };
  }
}

/** The names under which a session for a request alone may be found, the likeliest first; none where it cannot be. */
export async function ownNames(repeat: Repeat): Promise<string[]> {
  if (repeat.kind === "unknown") return [];
  if (repeat.kind === "keyed") return [await shortDigest(repeat.key)];
  const window = Math.floor(repeat.now / REPEAT_MS);
  const [current, last] = [
    await shortDigest(`${repeat.print}:${window}`),
    await shortDigest(`${repeat.print}:${window - 1}`),
  ];
  if (repeat.kind === "first") return TWINS.map((twin) => current + twin);
  return [current, last].flatMap((name) => TWINS.map((twin) => name + twin).reverse());
}

/** A name that no request has. */
export function newName(): string {
  return base32(crypto.getRandomValues(new Uint8Array(16)));
}
