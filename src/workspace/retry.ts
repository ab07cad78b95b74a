import { messageOf } from "../lib/errors.ts";
import { WorkspaceError } from "./workspace.ts";

/** Waits before the second, third and fourth attempt; together longer than the second that R2 gives one key. */
const WAITS_MS = [150, 500, 1_200];

/**
 * R2's codes that a later attempt may not meet: unspecified, internal, unavailable, disconnected, too many requests
 * (https://developers.cloudflare.com/r2/api/error-codes/). They stand in parentheses at the end of the message.
 */
const TRANSIENT_CODES = [0, 10001, 10043, 10054, 10058];

/**
 * Calls R2, again where it was overloaded or out of reach. `again` is true after a failure: that attempt may have
 * taken effect all the same.
 * @throws WorkspaceError `unavailable`
 */
export type Attempt = <T>(path: string, call: (again: boolean) => Promise<T>) => Promise<T>;

/** Makes the caller that repeats; `wait` takes milliseconds. */
export function createAttempt(wait: (ms: number) => Promise<void> = sleep): Attempt {
  return async function attempt<T>(path: string, call: (again: boolean) => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return await call(failures > 0);
      } catch (thrown) {
        if (thrown instanceof WorkspaceError || thrown instanceof TypeError) throw thrown;
        const waitMs = isTransient(thrown) ? WAITS_MS[failures] : undefined;
        if (waitMs === undefined) {
          throw new WorkspaceError("unavailable", path, `The file store did not answer: ${messageOf(thrown)}`);
        }
        await wait(waitMs);
      }
    }
  };
}

/** Waits for so many milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isTransient(thrown: unknown): boolean {
  const code = /\((\d+)\)$/.exec(messageOf(thrown))?.[1];
  return code === undefined || TRANSIENT_CODES.includes(Number(code));
}
