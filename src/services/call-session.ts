import { objectNameOf } from "../config/session-ids.ts";
import { backoffMs } from "../lib/backoff.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { isRefusal, type Refusal } from "../lib/refusal.ts";

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;

const PERHAPS_DONE =
  "Try again in a moment. What it was told may have been taken up: under the same idempotency key it counts once.";

/** The namespace of all sessions' objects. */
export interface SessionNamespace {
  getByName(name: string): unknown;
}

/** Calls a session by its key; `Calls` is what the caller uses of the session's interface. */
export type CallSession<Calls> = <Result>(
  sessionKey: string,
  call: (session: Calls) => Promise<Result | Refusal>,
) => Promise<Result>;

/**
 * Calls a session's object, and retries where the platform says that a retry may help: every deploy moves or restarts
 * objects. Only for calls that may be repeated; all of `Session`'s may.
 * @throws IsopodError `unavailable` if it does not answer, or the session's refusal
 */
export async function callObject<Calls, Result>(
  sessions: SessionNamespace,
  objectName: string,
  call: (session: Calls) => Promise<Result | Refusal>,
): Promise<Result> {
  // The stub's own type unfolds every message down to its JSON, which is deeper than TypeScript goes.
  const answer = await repeat(() => call(sessions.getByName(objectName) as Calls));
  if (!isRefusal(answer)) return answer;
  const { code, message, hint, details } = answer.refused;
  throw new IsopodError(code, message, hint, details);
}

/** The same by session key. */
export function callByKey<Calls>(sessions: SessionNamespace): CallSession<Calls> {
  return async (sessionKey, call) => callObject(sessions, await objectNameOf(sessionKey), call);
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
