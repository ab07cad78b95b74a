import { usdOf } from "../../models/price.ts";
import type { Total } from "../../session-store/totals.ts";

/** A number of tokens, short: 950, 1.2k, 34k, 1.5M. */
export function tokenText(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  const [amount, unit] = tokens < 999_500 ? [tokens / 1000, "k"] : [tokens / 1_000_000, "M"];
  return `${amount < 9.95 ? amount.toFixed(1) : Math.round(amount)}${unit}`;
}

/** An estimated cost, with more digits if it is small. */
export function moneyText(micros: number): string {
  const usd = usdOf(micros);
  return `$${usd.toFixed(usd >= 1 || usd === 0 ? 2 : 4)}`;
}

/** The total of some runs, in a line. */
export function totalText({ runs, input, output, cacheRead, costMicros, unpriced }: Total): string {
  if (runs === 0) return "nothing";
  const cached = cacheRead > 0 ? ` (${tokenText(cacheRead)} from a cache)` : "";
  const least = unpriced > 0 ? "at least " : "about ";
  const cost = unpriced === runs ? "no price known" : `${least}${moneyText(costMicros)}`;
  return `${runs} ${runs === 1 ? "run" : "runs"}, ${tokenText(input)} tokens in${cached}, ${tokenText(output)} out, ${cost}`;
}
