import { messageOf } from "../lib/errors.ts";
import { sleep } from "../lib/sleep.ts";
import { WorkspaceError } from "./workspace.ts";

/** Waits before the second, third and fourth attempt; together longer than the second that R2 gives one key. */
const WAITS_MS = [150, 500, 1_200];

/**
 * R2's codes that a later attempt may not meet: unspecified, internal, unavailable, disconnected, too many requests
 * (https://developers.cloudflare.com/r2/api/error-codes/).
 */
const TRANSIENT_CODES = [0, 10001, 10043, 10054, 10058];

/** R2's refusal of more than about one write a second to one key: it took nothing. */
const TOO_MANY_CODE = 10058;

/**
 * What became of the attempts before: none was made, each was refused and took no effect, or one may have taken effect all
 * the same.
 */
export type PriorAttempts = false | "refused" | "unsure";

/**
 * Calls R2, again where it was overloaded or out of reach, four times at most.
 * @throws WorkspaceError `unavailable`
 */
export type Attempt = <T>(path: string, call: (again: PriorAttempts) => Promise<T>) => Promise<T>;

/** Makes the caller that repeats; `wait` takes milliseconds, and may wait a little more or less. */
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

/** R2's code of a failure, which stands in parentheses at the end of the message. */
function r2ErrorCode(thrown: unknown): number | undefined {
  const code = /\((\d+)\)$/.exec(messageOf(thrown))?.[1];
  return code === undefined ? undefined : Number(code);
}

/** A failure without a code is one of the connection. */
function isTransient(code: number | undefined): boolean {
  return code === undefined || TRANSIENT_CODES.includes(code);
}
