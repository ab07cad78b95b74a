import type { Usage } from "./message.ts";

/** What tokens cost: US dollars a million, which is as many millionths of a dollar (micros) for one. */
export interface Price {
  input: number;
  output: number;
  /** Of input that came from the provider's cache; as `input` where absent. */
  cacheRead?: number | undefined;
  /** Of input that was written to it; as `input` where absent. */
  cacheWrite?: number | undefined;
}

/** The price of what runs at home. */
export const FREE: Price = { input: 0, output: 0 };

/** What a call cost, in whole micros. The parts of the input that a cache served or keeps have prices of their own. */
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

/** A call's tokens with what they cost; as they are where nobody knows the price. */
export function priced(usage: Usage, price: Price | undefined): Usage {
  return price === undefined ? usage : { ...usage, costMicros: costOf(usage, price) };
}

/** Micros as US dollars. */
export function usdOf(micros: number): number {
  return micros / 1_000_000;
}
