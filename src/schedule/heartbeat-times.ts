import type { Heartbeat } from "../config/agents.ts";
import { parseDuration } from "../lib/duration.ts";
import { isActiveAt } from "./active-hours.ts";
import { nextOnGrid } from "./schedule.ts";

const MINUTE_MS = 60_000;
/** How far ahead the next active hour is looked for, and at most how many slots. */
const MAX_AHEAD_MS = 8 * 86_400_000;
const MAX_SLOTS = 12_000;

/** What the times of an agent's heartbeat follow from. */
export type HeartbeatTimes = Pick<Heartbeat, "every" | "activeHours">;

/** The interval of a heartbeat in whole minutes, as milliseconds: the clock has no smaller step. */
export function heartbeatEveryMs({ every }: Pick<Heartbeat, "every">): number {
  return Math.max(1, Math.round((parseDuration(every) ?? 0) / MINUTE_MS)) * MINUTE_MS;
}

/**
 * The first slot of an agent's heartbeat after an instant, within its active hours; undefined if there is none within
 * eight days. Each agent has a minute of its own within the interval, so that not all beat at once.
 */
export function nextHeartbeat(times: HeartbeatTimes, agentId: string, zone: string, after: number): number | undefined {
  const everyMs = heartbeatEveryMs(times);
  const offset = (hash(agentId) % (everyMs / MINUTE_MS)) * MINUTE_MS;
  let at = nextOnGrid(everyMs, offset, after);
  for (let slots = 0; slots < MAX_SLOTS && at <= after + MAX_AHEAD_MS + everyMs; slots++, at += everyMs) {
    if (isActiveAt(times.activeHours, zone, at)) return at;
  }
  return undefined;
}

/** 32-bit FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
