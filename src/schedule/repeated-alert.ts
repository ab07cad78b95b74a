/** An alert of a heartbeat that was sent, and when, in milliseconds since the epoch. */
export interface SentAlert {
  text: string;
  at: number;
}

const DAY_MS = 86_400_000;

/** Whether an alert is the one that was sent last, less than a day ago. One with files is never the same. */
export function isRepeated(last: SentAlert | undefined, alert: { text: string; files: number }, now: number): boolean {
  if (last === undefined || alert.files > 0 || alert.text !== last.text) return false;
  return now >= last.at && now - last.at < DAY_MS;
}
