const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/i;
const PARTS = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/gi;
const BARE = /^\d+(?:\.\d+)?$/;

/**
 * A span of time in milliseconds, as people write it: `30m`, `1h30m`, `1.5h`, `1D`; a bare number is minutes. Undefined
 * for any other text.
 */
export function parseDuration(text: string): number | undefined {
  const written = text.trim();
  if (BARE.test(written)) return Math.round(Number(written) * 60_000);
  if (!WHOLE.test(written)) return undefined;
  const parts = [...written.matchAll(PARTS)];
  return Math.round(parts.reduce((sum, [, n, unit = ""]) => sum + Number(n) * (UNIT_MS[unit.toLowerCase()] ?? 0), 0));
}
