import { and, asc, desc, eq, isNotNull, lt, max, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { deadLetters, jobRuns, type StoredRoute, scheduleEntries, sessions, wakeTexts } from "../db/schema.ts";
import type { Label } from "../security/labels.ts";
import { LEASE_MS, type ScheduleEntry, type SettledSlot, type Slot } from "./slots.ts";

/** Most rows that one statement claims: what D1 returns at once stays small. */
export const CLAIM_SIZE = 1000;

/**
 * Claims rows that are due at an instant, the longest due first, for the length of a lease. An older
 * event claims nothing that is newer. @throws any error of D1; nothing is claimed then
 */
export async function claimDue(database: D1Database, at: number): Promise<Slot[]> {
  const { results } = await database
    .prepare(
      `UPDATE schedule_entries SET ready_at = ?1 + ${LEASE_MS} WHERE id IN (
        SELECT id FROM schedule_entries WHERE ready_at IS NOT NULL AND ready_at <= ?1 ORDER BY ready_at LIMIT ${CLAIM_SIZE}
      ) RETURNING id, due_at AS dueAt`,
    )
    .bind(at)
    .all<Slot>();
  return results;
}

/** Leaves slots alone for another lease, while they wait for their turn. Safe to repeat. @throws any error of D1 */
export async function extendLeases(database: D1Database, slots: readonly Slot[], at: number): Promise<void> {
  await database
    .prepare(
      `UPDATE schedule_entries SET ready_at = ?2 + ${LEASE_MS} FROM json_each(?1) AS slot
       WHERE schedule_entries.id = slot.value ->> 'id' AND due_at = slot.value ->> 'dueAt' AND ready_at < ?2 + ${LEASE_MS}`,
    )
    .bind(JSON.stringify(slots), at)
    .run();
}

/** The rows of slots that are still to be run; those that were settled meanwhile are left out. */
export async function currentEntries(database: D1Database, slots: readonly Slot[]): Promise<ScheduleEntry[]> {
  const rows = await entriesWithIds(
    database,
    slots.map(({ id }) => id),
  );
  const due = new Map(slots.map(({ id, dueAt }) => [id, dueAt]));
  return rows.filter((row) => row.dueAt === due.get(row.id));
}

/**
 * Settles slots: writes when their rows are due next, which ends the leases, and the history of jobs. One round trip.
 * Safe to repeat, also after a run has told how it ended. @throws any error of D1; nothing is settled then
 */
export async function settleSlots(database: D1Database, slots: readonly SettledSlot[], now: number): Promise<void> {
  if (slots.length === 0) return;
  const given = JSON.stringify(slots);
  const entries = database
    .prepare(
      `UPDATE schedule_entries SET due_at = slot.value ->> 'nextAt', ready_at = slot.value ->> 'nextAt', updated_at = ?2,
         last_slot_at = slot.value ->> 'dueAt',
         last_status = slot.value ->> 'status', last_reason = slot.value ->> 'reason',
         last_run_id = coalesce(slot.value ->> 'runId', last_run_id),
         empty_etag = coalesce(slot.value ->> 'emptyEtag', empty_etag),
         runs = runs + (slot.value ->> 'quietCostMicros' IS NOT NULL),
         cost_micros = cost_micros + coalesce(slot.value ->> 'quietCostMicros', 0)
       FROM json_each(?1) AS slot
       WHERE schedule_entries.id = slot.value ->> 'id' AND due_at = slot.value ->> 'dueAt'`,
    )
    .bind(given, now);
  const jobs = slots.filter(({ id }) => id.startsWith("job:"));
  if (jobs.length === 0) {
    await entries.run();
    return;
  }
  const history = database
    .prepare(
      `INSERT INTO job_runs (entry_id, slot_at, at, status, reason, run_id, session_key)
       SELECT value ->> 'id', value ->> 'dueAt', ?2, value ->> 'status', value ->> 'reason', value ->> 'runId', value ->> 'sessionKey'
       FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(jobs), now);
  await database.batch([entries, history]);
}

/** How a run of a slot ended. */
export interface SlotOutcome extends Slot {
  runId: string;
  /** `skipped`: it was stopped, which is no failure. */
  status: "ok" | "error" | "skipped";
  reason?: string | undefined;
  endedAt: number;
  costMicros: number | undefined;
  /** When it is tried again; absent where the schedule goes on as it is. */
  retryAt?: number | undefined;
  /** The earliest instant of the next slot; absent where the schedule goes on as it is. */
  notBefore?: number | undefined;
  /** Whether the row goes with its last run. */
  isLast: boolean;
}

/**
 * Stores how the run of a slot ended. Safe to repeat. False if the slot is not settled yet: then call it again later.
 * @throws any error of D1
 */
export async function noteOutcome(database: D1Database, outcome: SlotOutcome): Promise<boolean> {
  const { id, dueAt, runId, status, reason = null, endedAt, costMicros = null, isLast } = outcome;
  const { retryAt = null, notBefore = null } = outcome;
  const [row] = await drizzle(database)
    .select({ dueAt: scheduleEntries.dueAt })
    .from(scheduleEntries)
    .where(eq(scheduleEntries.id, id));
  if (row?.dueAt === dueAt) return false;
  const entry =
    isLast && row?.dueAt === null
      ? database.prepare("DELETE FROM schedule_entries WHERE id = ?1 AND due_at IS NULL").bind(id)
      : database
          .prepare(
            `UPDATE schedule_entries SET last_status = ?2, last_reason = ?3, last_run_id = ?4,
               runs = runs + 1, cost_micros = cost_micros + coalesce(?8, 0),
               failures = CASE ?2 WHEN 'ok' THEN 0 WHEN 'error' THEN failures + 1 ELSE failures END,
               due_at = coalesce(?5, max(due_at, coalesce(?6, due_at))),
               ready_at = coalesce(?5, max(ready_at, coalesce(?6, ready_at)))
             WHERE id = ?1 AND last_slot_at = ?7 AND NOT (last_run_id IS ?4 AND last_status IN ('ok', 'error', 'skipped'))`,
          )
          .bind(id, status, reason, runId, retryAt, notBefore, dueAt, costMicros);
  const history = database
    .prepare("UPDATE job_runs SET status = ?2, reason = ?3, ended_at = ?4, cost_micros = ?5 WHERE run_id = ?1")
    .bind(runId, status, reason, endedAt, costMicros);
  await database.batch([entry, history]);
  return true;
}

/** Makes a row due at once; the slot to send, or undefined if there is no such row. @throws any error of D1 */
export async function makeDueNow(database: D1Database, id: string, now: number): Promise<Slot | undefined> {
  const [row] = await drizzle(database)
    .update(scheduleEntries)
    .set({ dueAt: now, readyAt: now + LEASE_MS, updatedAt: now })
    .where(eq(scheduleEntries.id, id))
    .returning({ id: scheduleEntries.id });
  return row && { id, dueAt: now };
}

/** A row by its id. */
export async function findEntry(database: D1Database, id: string): Promise<ScheduleEntry | undefined> {
  return (await drizzle(database).select().from(scheduleEntries).where(eq(scheduleEntries.id, id)))[0];
}

/** The rows of an agent or of all, jobs by their age; at most `limit`. */
export async function listEntries(
  database: D1Database,
  { agentId, kind, limit }: { agentId?: string | undefined; kind?: ScheduleEntry["kind"]; limit: number },
): Promise<ScheduleEntry[]> {
  const ofAgent = agentId === undefined ? undefined : eq(scheduleEntries.agentId, agentId);
  const ofKind = kind === undefined ? undefined : eq(scheduleEntries.kind, kind);
  const rows = drizzle(database).select().from(scheduleEntries).where(and(ofAgent, ofKind));
  return rows.orderBy(asc(scheduleEntries.createdAt), asc(scheduleEntries.id)).limit(limit);
}

/** Stores a row, new or changed. @throws any error of D1 */
export async function saveEntry(database: D1Database, entry: ScheduleEntry): Promise<void> {
  const { id: _, createdAt: __, createdBy: ___, ...changed } = entry;
  await drizzle(database)
    .insert(scheduleEntries)
    .values(entry)
    .onConflictDoUpdate({ target: scheduleEntries.id, set: changed });
}

/** Changes fields of a row, and no others. @throws any error of D1 */
export async function changeEntry(database: D1Database, id: string, change: Partial<ScheduleEntry>): Promise<void> {
  await drizzle(database).update(scheduleEntries).set(change).where(eq(scheduleEntries.id, id));
}

/** Removes a row with its history. True if there was one. @throws any error of D1 */
export async function removeEntry(database: D1Database, id: string): Promise<boolean> {
  const db = drizzle(database);
  const [removed] = await db.batch([
    db.delete(scheduleEntries).where(eq(scheduleEntries.id, id)).returning({ id: scheduleEntries.id }),
    db.delete(jobRuns).where(eq(jobRuns.entryId, id)),
  ]);
  return removed.length > 0;
}

/** The runs of a job, the latest first. */
export async function listJobRuns(
  database: D1Database,
  entryId: string,
  limit: number,
): Promise<(typeof jobRuns.$inferSelect)[]> {
  const rows = drizzle(database).select().from(jobRuns).where(eq(jobRuns.entryId, entryId));
  return rows.orderBy(desc(jobRuns.slotAt)).limit(limit);
}

/** Deletes the oldest runs of jobs beyond a number of each. Safe to repeat. @throws any error of D1 */
export async function pruneJobRuns(database: D1Database, kept: number, before: number): Promise<void> {
  await database
    .prepare(
      `DELETE FROM job_runs WHERE (entry_id, slot_at) IN (
         SELECT entry_id, slot_at FROM (
           SELECT entry_id, slot_at, row_number() OVER (PARTITION BY entry_id ORDER BY slot_at DESC) AS place FROM job_runs
         ) WHERE place > ?1
       ) OR entry_id NOT IN (SELECT id FROM schedule_entries) AND at < ?2`,
    )
    .bind(kept, before)
    .run();
}

/** The conversation in which a person wrote to each agent last; one query. */
export async function lastRoutes(database: D1Database, agentIds: readonly string[]): Promise<Map<string, StoredRoute>> {
  const rows = await drizzle(database)
    .select({ agentId: sessions.agentId, route: sessions.route, at: max(sessions.routedAt) })
    .from(sessions)
    .where(
      and(
        isNotNull(sessions.routedAt),
        sql`${sessions.agentId} IN (SELECT value FROM json_each(${JSON.stringify(agentIds)}))`,
      ),
    )
    .groupBy(sessions.agentId);
  return new Map(rows.flatMap(({ agentId, route }) => (route === null ? [] : [[agentId, route] as const])));
}

/** A text for a heartbeat, and where words in it come from that are not the owner's. */
export interface WakeText {
  text: string;
  labels: readonly Label[];
}

/** Keeps a text for the next heartbeat of an agent. Safe to repeat under its id. @throws any error of D1 */
export async function addWakeText(
  database: D1Database,
  text: { id: string; agentId: string; text: string; at: number; labels?: readonly Label[] | undefined },
): Promise<void> {
  await drizzle(database).insert(wakeTexts).values(text).onConflictDoNothing();
}

/**
 * The texts that a slot of an agent's heartbeat brings along, the oldest first. A repeated slot gets them again; so does
 * a later one, unless the slot was settled.
 */
export async function takeWakeTexts(database: D1Database, agentId: string, slotAt: number): Promise<WakeText[]> {
  const [, , rows] = await database.batch([
    // What a settled slot took along has arrived; what another one took along has not.
    database
      .prepare(
        `DELETE FROM wake_texts WHERE agent_id = ?1 AND slot_at < ?2
         AND slot_at <= (SELECT last_slot_at FROM schedule_entries WHERE id = 'heartbeat:' || ?1)`,
      )
      .bind(agentId, slotAt),
    // A repeated slot takes none of those that came since: its session knows it already.
    database
      .prepare(
        `UPDATE wake_texts SET slot_at = ?2 WHERE agent_id = ?1
         AND NOT EXISTS (SELECT 1 FROM wake_texts WHERE agent_id = ?1 AND slot_at = ?2)`,
      )
      .bind(agentId, slotAt),
    database
      .prepare("SELECT text, labels FROM wake_texts WHERE agent_id = ?1 AND slot_at = ?2 ORDER BY at, id LIMIT 50")
      .bind(agentId, slotAt),
  ]);
  return ((rows?.results ?? []) as { text: string; labels: string | null }[]).map(({ text, labels }) => ({
    text,
    labels: labels === null ? [] : JSON.parse(labels),
  }));
}

/** Agents that have texts for their next heartbeat; one query. */
export async function agentsWithWakeTexts(database: D1Database, agentIds: readonly string[]): Promise<Set<string>> {
  const rows = await drizzle(database)
    .selectDistinct({ agentId: wakeTexts.agentId })
    .from(wakeTexts)
    .where(sql`${wakeTexts.agentId} IN (SELECT value FROM json_each(${JSON.stringify(agentIds)}))`);
  return new Set(rows.map(({ agentId }) => agentId));
}

/** Rows by their ids. */
export async function entriesWithIds(database: D1Database, ids: readonly string[]): Promise<ScheduleEntry[]> {
  if (ids.length === 0) return [];
  return drizzle(database)
    .select()
    .from(scheduleEntries)
    .where(sql`${scheduleEntries.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}

/** Deletes rows of heartbeats whose agents have none any more. @throws any error of D1 */
export async function keepHeartbeats(database: D1Database, ids: readonly string[]): Promise<void> {
  await database
    .prepare("DELETE FROM schedule_entries WHERE kind = 'heartbeat' AND id NOT IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(ids))
    .run();
}

/** Deletes dead letters from before an instant. Safe to repeat. */
export async function pruneDeadLetters(database: D1Database, before: number): Promise<void> {
  await drizzle(database).delete(deadLetters).where(lt(deadLetters.at, before));
}

/** Deletes texts from before an instant that no heartbeat has taken along. Safe to repeat. */
export async function pruneWakeTexts(database: D1Database, before: number): Promise<void> {
  await drizzle(database).delete(wakeTexts).where(lt(wakeTexts.at, before));
}
