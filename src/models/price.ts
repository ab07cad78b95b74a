import type { Usage } from "./message.ts";

/** Prices in US dollars per million tokens, which equals micros (millionths of a dollar) per token. */
export interface Price {
  input: number;
  output: number;
  /** Input read from the provider's cache; as `input` if absent. */
  cacheRead?: number | undefined;
  /** Input written to the cache; as `input` if absent. */
  cacheWrite?: number | undefined;
}

/** The price of local models. */
export const FREE: Price = { input: 0, output: 0 };

/** The cost of a call in whole micros. Input read from and written to a cache has its own prices. */
export function costOf(usage: Usage, price: Price): number {
  const { cacheRead, cacheWrite } = usage;
  const fresh = Math.max(0, usage.input - cacheRead - cacheWrite);
  return Math.round(
    fresh * price.input +
      cacheRead * (price.cacheRead ?? price.input) +
      cacheWrite * (price.cacheWrite ?? price.input) +
      usage.output * price.output,
  );
}

/** A usage with its cost; unchanged without a price. */
export function priced(usage: Usage, price: Price | undefined): Usage {
  return price === undefined ? usage : { ...usage, costMicros: costOf(usage, price) };
}

/** Micros as US dollars. */
export function usdOf(micros: number): number {
  return micros / 1_000_000;
}
