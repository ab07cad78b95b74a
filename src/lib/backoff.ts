/** Bounds of an exponential backoff, in milliseconds. */
export interface Backoff {
  /** The pause after the first failure; each further failure doubles it. */
  firstMs: number;
  /** The longest pause; unlimited if absent. */
  longestMs?: number;
}

/** The pause before the next try, in whole milliseconds. @param failures failures in a row before the last, from 0 */
export function backoffMs(failures: number, { firstMs, longestMs = Number.POSITIVE_INFINITY }: Backoff): number {
  return Math.round(Math.min(firstMs * 2 ** failures, longestMs));
}

/**
 * Spreads a pause, so that clients that failed together do not all return at the same moment.
 * @param chance a random number from 0 to 1
 * @param spread the shares of the pause between which the result lies
 */
export function withJitter(ms: number, chance: number, [least, most]: readonly [number, number] = [0.5, 1.5]): number {
  return Math.round(ms * (least + (most - least) * chance));
}
