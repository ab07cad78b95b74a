import { messageOf } from "../lib/errors.ts";
import { sleep } from "../lib/sleep.ts";
import { WorkspaceError } from "./workspace.ts";

/** Waits before the second, third and fourth attempt; together longer than R2's limit of one write a second per key. */
const WAITS_MS = [150, 500, 1_200];

/**
 * R2's transient error codes: unspecified, internal, unavailable, disconnected, too many requests
 * (https://developers.cloudflare.com/r2/api/error-codes/).
 */
const TRANSIENT_CODES = [0, 10001, 10043, 10054, 10058];

/** R2's refusal of more than about one write a second per key: nothing was written. */
const TOO_MANY_CODE = 10058;

/** Earlier attempts of a call: none, all refused without effect, or at least one that may have taken effect. */
export type PriorAttempts = false | "refused" | "unsure";

/**
 * Calls R2 with up to four attempts, for overload and connection errors.
 * @throws WorkspaceError `unavailable`
 */
export type Attempt = <T>(path: string, call: (again: PriorAttempts) => Promise<T>) => Promise<T>;

/** Creates the retrying caller; `wait` takes milliseconds and may add jitter. */
export function createAttempt(wait: (ms: number) => Promise<void> = sleep): Attempt {
  return async function attempt<T>(path: string, call: (again: PriorAttempts) => Promise<T>): Promise<T> {
    let isUnsure = false;
    for (let failures = 0; ; failures++) {
      try {
        return await call(failures > 0 && (isUnsure ? "unsure" : "refused"));
      } catch (thrown) {
        if (thrown instanceof WorkspaceError || thrown instanceof TypeError) throw thrown;
        const code = r2ErrorCode(thrown);
        const waitMs = isTransient(code) ? WAITS_MS[failures] : undefined;
        if (waitMs === undefined) {
          throw new WorkspaceError("unavailable", path, `The file store did not answer: ${messageOf(thrown)}`);
        }
        isUnsure ||= code !== TOO_MANY_CODE;
        await wait(waitMs);
      }
    }
  };
}

/** R2's error code, in parentheses at the end of the message. */
function r2ErrorCode(thrown: unknown): number | undefined {
  const code = /\((\d+)\)$/.exec(messageOf(thrown))?.[1];
  return code === undefined ? undefined : Number(code);
}

/** An error without a code is a connection error. */
function isTransient(code: number | undefined): boolean {
  return code === undefined || TRANSIENT_CODES.includes(code);
}
