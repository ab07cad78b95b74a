/**
 * How long a provider asks us to wait, in milliseconds: `retry-after-ms`, `Retry-After` in seconds or as a date (measured
 * against the answer's own `Date`, so that no clock is needed), a field such as `retryDelay` or `resets_in_seconds`, or
 * the sentence that says so.
 */
export function retryAfterMs(headers: Record<string, string>, told: string): number | undefined {
  const exact = positive(headers["retry-after-ms"]);
  if (exact !== undefined) return exact;
  const after = headers["retry-after"];
  const seconds = positive(after);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  if (after !== undefined && headers.date !== undefined) {
    const wait = Date.parse(after) - Date.parse(headers.date);
    if (wait >= 0) return wait;
  }
  const field = /"(?:retry_?delay|retry_after(?:_seconds)?|resets?_in_seconds)"\s*:\s*"?([\d.]+)s?"?\s*[,}\]]/i.exec(
    told,
  );
  if (field) return Math.round(Number(field[1]) * 1000);
  return sentenceMs(told);
}

/** Reads "try again in 20s", "in 6m0.5s", "in 350ms", "after 30 seconds", "wait 12 seconds". */
function sentenceMs(text: string): number | undefined {
  const found =
    /(?:(?:retry|try again|available)[^.\n]{0,20}? (?:in|after)|please wait) (?:about )?(?:(\d+)h)?(?:(\d+)m(?!s|i))?(?:([\d.]*\d) ?(ms|milliseconds?|s\b|sec\w*|m\b|min\w*))?/i.exec(
      text,
    );
  if (!found || (found[1] ?? found[2] ?? found[3]) === undefined) return undefined;
  const unit = found[4]?.toLowerCase() ?? "s";
  const scale = unit.startsWith("ms") || unit.startsWith("mil") ? 1 : unit.startsWith("m") ? 60_000 : 1000;
  return Math.round(Number(found[1] ?? 0) * 3_600_000 + Number(found[2] ?? 0) * 60_000 + Number(found[3] ?? 0) * scale);
}

function positive(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return value >= 0 ? value : undefined;
}
