import { datesIn } from "../text/dates.ts";
import { instantOf } from "./near-dates.ts";

const DAILY_NOTE = /^memory\/(?:.*\/)?(\d{4}-\d{2}-\d{2})[^/]*\.md$/i;
const DAY_MS = 86_400_000;

/** What age leaves of the score of a daily note, 0 to 1; undefined for what does not age: all files that name no day. */
export function decayOf(path: string, halfLifeDays: number, now: number): number | undefined {
  const [date] = datesIn(DAILY_NOTE.exec(path)?.[1] ?? "");
  const day = date === undefined ? undefined : instantOf(date);
  return day === undefined ? undefined : 0.5 ** (Math.max(0, now - day) / DAY_MS / halfLifeDays);
}
