/** A distribution in two numbers. */
export interface Spread {
  p50: number;
  p95: number;
}

/** The value below which a share of the values lies, interpolated between the nearest two. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)];
  const above = sorted[Math.ceil(at)];
  if (below === undefined || above === undefined) throw new Error("There is nothing to take a quantile of.");
  return below + (above - below) * (at - Math.floor(at));
}

/** Median and 95th percentile, to a hundredth. */
export function spread(values: readonly number[]): Spread {
  return { p50: rounded(quantile(values, 0.5)), p95: rounded(quantile(values, 0.95)) };
}

/** A number to a hundredth. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
