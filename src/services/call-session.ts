import { objectNameOf } from "../config/session-ids.ts";
import type { SessionLocation } from "../config/session-schema.ts";
import { backoffMs } from "../lib/backoff.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { isRefusal, type Refusal } from "../lib/refusal.ts";
import {
  findSession,
  knownPlaces,
  MAX_MOVES,
  openObject,
  type SessionAddress,
  type SessionEnv,
} from "./session-places.ts";

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;
/** How often a call is repeated while the session is on its way to another object: for about half a minute. */
const ATTEMPTS_WHILE_MOVING = 40;
const LONGEST_PAUSE_WHILE_MOVING_MS = 1000;

const PERHAPS_DONE =
  "Try again in a moment. What it was told may have been taken up: under the same idempotency key it counts once.";

/** Calls a session by its key; `Calls` is what the caller uses of the session's interface. */
export type CallSession<Calls> = <Result>(
  sessionKey: string,
  call: (session: Calls) => Promise<Result | Refusal>,
) => Promise<Result>;

/**
 * Calls a session's object. Where the session has moved, it calls the object that it moved to; where the platform says
 * that a retry may help, it retries: every deploy moves or restarts objects. Only for calls that may be repeated; all of
 * `Session`'s may.
 * @throws IsopodError `unavailable` if it does not answer, or the session's refusal
 */
export async function callObject<Calls, Result>(
  env: SessionEnv,
  { name, hint }: SessionAddress,
  call: (session: Calls, objectName: string) => Promise<Result | Refusal>,
): Promise<Result> {
  let at = knownPlaces.newest(name);
  for (let moves = 0, waits = 0; moves < MAX_MOVES && waits < ATTEMPTS_WHILE_MOVING; ) {
    // The stub's own type unfolds every message down to its JSON, which is deeper than TypeScript goes.
    const object = { name: at, ...(hint && { hint }) };
    const answer = await repeat(() => call(openObject(env, object) as Calls, object.name));
    if (!isRefusal(answer)) return answer;
    const { code, message, hint: advice, details } = answer.refused;
    if (details.movedTo !== undefined) {
      knownPlaces.learn(at, details.movedTo);
      at = details.movedTo;
      moves++;
    } else if (details.reason === "moving") {
      const pause = { firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_WHILE_MOVING_MS };
      await scheduler.wait(backoffMs(waits++, pause));
    } else throw new IsopodError(code, message, advice, details);
  }
  throw new IsopodError("unavailable", "The session is being moved.", PERHAPS_DONE);
}

/**
 * The same by session key.
 * @param location where a session of a key is created; only for calls that may create one
 */
export function callByKey<Calls>(
  env: SessionEnv,
  location: (sessionKey: string) => SessionLocation = () => "caller",
): CallSession<Calls> {
  return async (sessionKey, call) => callObject(env, await addressOf(env, sessionKey, location(sessionKey)), call);
}

/** Where the session of a key is, or begins. @throws IsopodError `unavailable` if its first object does not answer */
export async function addressOf(
  env: SessionEnv,
  sessionKey: string,
  location: SessionLocation,
): Promise<SessionAddress> {
  const first = { name: await objectNameOf(sessionKey) };
  return findSession(first, sessionKey, location, (otherwise) =>
    callObject(env, first, (session: Settles, name) => session.settle(name, otherwise)),
  );
}

/** What is asked of the first object of a session that is to begin elsewhere. */
interface Settles {
  settle(ownName: string, otherwise: string): Promise<string | Refusal>;
}

async function repeat<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      log("warn", "session.call_failed", { attempt, error: messageOf(error) });
      if (attempt === ATTEMPTS || !mayRetry(error)) {
        throw new IsopodError("unavailable", "The session does not answer.", PERHAPS_DONE);
      }
      await scheduler.wait(backoffMs(attempt - 1, { firstMs: FIRST_PAUSE_MS }));
    }
  }
}

/** Whether an error is marked as retryable; `overloaded` means that retries make it worse. */
function mayRetry(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { retryable, overloaded } = error as Error & { retryable?: boolean; overloaded?: boolean };
  return retryable === true && overloaded !== true;
}
