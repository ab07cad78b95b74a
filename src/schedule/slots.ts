import type { SlotStatus, scheduleEntries } from "../db/schema.ts";

/** A row of the schedule. */
export type ScheduleEntry = typeof scheduleEntries.$inferSelect;

/** One due time of a row. Milliseconds since the epoch, in the time of the clock's events. */
export interface Slot {
  id: string;
  dueAt: number;
}

/** How a slot was settled, and when the row is due next. */
export interface SettledSlot extends Slot {
  nextAt: number | undefined;
  status: SlotStatus;
  reason?: string | undefined;
  runId?: string | undefined;
  sessionKey?: string | undefined;
  emptyEtag?: string | undefined;
  /** What the run of the slot before has cost, if it is to be counted now. */
  quietCostMicros?: number | undefined;
}

/** A new row without a next slot. */
export function newEntry(
  { id, kind, agentId, createdBy }: Pick<ScheduleEntry, "id" | "kind" | "agentId" | "createdBy">,
  now: number,
): ScheduleEntry {
  return {
    ...{ id, kind, agentId, createdBy, createdAt: now, updatedAt: now },
    ...{ job: null, dueAt: null, readyAt: null, isOff: false, emptyEtag: null, failures: 0 },
    ...{ lastSlotAt: null, lastStatus: null, lastReason: null, lastRunId: null },
    ...{ runs: 0, costMicros: 0 },
  };
}

/** A new row of an agent's heartbeat. */
export function newHeartbeatEntry(agentId: string, now: number): ScheduleEntry {
  return newEntry({ id: heartbeatEntryId(agentId), kind: "heartbeat", agentId, createdBy: "config" }, now);
}

/** The row of an agent's heartbeat. */
export function heartbeatEntryId(agentId: string): string {
  return `heartbeat:${agentId}`;
}

/** The row of a job. */
export function jobEntryId(jobId: string): string {
  return `job:${jobId}`;
}

/** The id of the job that a row is of. */
export function jobIdOf(entryId: string): string {
  return entryId.replace(/^job:/, "");
}

/** The idempotency key under which a session takes up a slot: it runs once, however often it arrives. */
export function slotKey({ id, dueAt }: Slot): string {
  return `slot:${id}:${dueAt}`;
}

/** How long a slot that was claimed is left alone, in milliseconds of the clock's events. */
export const LEASE_MS = 10 * 60_000;

/** Most slots in one message of the queue. */
export const MAX_SLOTS_PER_MESSAGE = 100;
