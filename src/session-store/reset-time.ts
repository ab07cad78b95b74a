import { lastAtHour } from "../lib/zone.ts";

/** When a conversation is over by itself: each day at an hour in a time zone, or after a pause. */
export type ResetPolicy = { mode: "daily"; atHour: number; zone: string } | { mode: "idle"; idleMinutes: number };

/**
 * Whether a conversation is over by the time at which somebody speaks again. Instants are milliseconds since the epoch.
 * @param lastSaidAt when somebody spoke before; 0 where that is not known
 */
export function isOver(policy: ResetPolicy, lastSaidAt: number, saidAt: number): boolean {
  if (lastSaidAt === 0) return false;
  if (policy.mode === "idle") return saidAt - lastSaidAt >= policy.idleMinutes * 60_000;
  return lastSaidAt < lastAtHour(saidAt, policy.atHour, policy.zone);
}
