import { isZone, minuteOfDay } from "../lib/zone.ts";

/** Hours of the day, as `HH:MM`, in which heartbeats run. */
export interface ActiveHours {
  start?: string | undefined;
  end?: string | undefined;
  /** An IANA zone; the user's where it is absent or unknown. */
  timezone?: string | undefined;
}

/**
 * Whether an instant is within the active hours: from the start until before the end, over midnight where the end is
 * earlier. Equal ones are no hours at all.
 */
export function isActiveAt(hours: ActiveHours | undefined, userZone: string, at: number): boolean {
  if (hours === undefined) return true;
  const { start = "00:00", end = "24:00", timezone = "" } = hours;
  const own = timezone.trim();
  const [from, to] = [minutesOf(start), minutesOf(end)];
  const now = minuteOfDay(at, own !== "" && isZone(own) ? own : userZone);
  return from <= to ? now >= from && now < to : now >= from || now < to;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
