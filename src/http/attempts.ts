/** Wrong attempts that one address has within the window. */
const MAX_WRONG = 10;
const WINDOW_MS = 5 * 60_000;
/** Most addresses in memory. */
const MAX_ADDRESSES = 5_000;

/** How often an address was wrong. */
interface Attempts {
  count: number;
  since: number;
}

/**
 * Wrong tokens and webhook secrets by address, as this isolate has seen them. Right ones are not looked up. Every
 * isolate counts for itself, so that no request waits for a shared count.
 */
export class WrongAttempts {
  readonly #known = new Map<string, Attempts>();

  /** Notes a wrong attempt; the seconds until the next one is looked at, or undefined if it may be made now. */
  note(address: string, now: number): { count: number; retryAfterSec: number | undefined } {
    const last = this.#known.get(address);
    const attempts = last === undefined || now - last.since >= WINDOW_MS ? { count: 0, since: now } : last;
    attempts.count += 1;
    this.#known.delete(address);
    this.#known.set(address, attempts);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_ADDRESSES && oldest !== undefined) this.#known.delete(oldest);
    const { count, since } = attempts;
    return { count, retryAfterSec: count > MAX_WRONG ? Math.ceil((since + WINDOW_MS - now) / 1000) : undefined };
  }
}

/** The address of a client, as Cloudflare tells it. */
export function clientAddress(request: Request): string {
  return request.headers.get("CF-Connecting-IP") ?? "local";
}
