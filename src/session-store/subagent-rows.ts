import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import { log } from "../lib/log.ts";
import { announcements, subagents } from "./schema.ts";
import { cachedRead, prepared, type Store } from "./store.ts";
import { isOpen, type Subagent, type SubagentReport } from "./subagent.ts";

/** A stored sub-agent. */
export interface SubagentRow {
  /** Its session key. */
  key: string;
  /** The run that started it. */
  runId: string;
  subagent: Subagent;
}

/** Exactly the condition of the index `subagents_open`. */
const OPEN = sql`${subagents.open} = 1`;

const openRows = prepared((store) => store.select().from(subagents).where(OPEN).orderBy(sql`rowid`).prepare());

/** The sub-agents that have not ended, in the order in which they were started. */
export const openSubagents = cachedRead((store): readonly SubagentRow[] =>
  openRows(store).all().flatMap(readableSubagent),
);

/** The sub-agents that a session started last, the newest first. */
export function recentSubagents(store: Store, limit: number): SubagentRow[] {
  return store.select().from(subagents).orderBy(desc(sql`rowid`)).limit(limit).all().flatMap(readableSubagent);
}

/** The session keys of all sub-agents that a session knows. */
export function subagentKeys(store: Store): string[] {
  return store
    .select({ key: subagents.key })
    .from(subagents)
    .all()
    .map(({ key }) => key);
}

/** A sub-agent by its session key. */
export function findSubagentRow(store: Store, key: string): SubagentRow | undefined {
  return store.select().from(subagents).where(eq(subagents.key, key)).all().flatMap(readableSubagent)[0];
}

/** Inserts or updates a sub-agent. */
export function saveSubagent(store: Store, { key, runId, subagent }: SubagentRow): void {
  const now = { runId, open: isOpen(subagent), body: subagent };
  store
    .insert(subagents)
    .values({ key, ...now })
    .onConflictDoUpdate({ target: subagents.key, set: now })
    .run();
}

/** Deletes the sub-agents that ended before an instant; their own sessions stay. */
export function dropEndedSubagents(store: Store, before: number): void {
  const endedAt = sql`CASE WHEN json_valid(${subagents.body}) THEN ${subagents.body} ->> '$.phase.at' ELSE 0 END`;
  store
    .delete(subagents)
    .where(and(eq(subagents.open, false), lt(endedAt, before)))
    .run();
}

/** An unreadable row is skipped: the result of its sub-agent is not announced. */
function readableSubagent({ key, runId, body }: typeof subagents.$inferSelect): SubagentRow[] {
  if (body !== undefined) return [{ key, runId, subagent: body }];
  log("error", "subagent.unreadable", { sessionKey: key });
  return [];
}

/** A report that the parent session has yet to acknowledge. */
export interface PendingAnnouncement {
  /** The run that the report is about. */
  runId: string;
  report: SubagentReport;
  attempts: number;
  /** When to deliver it, in milliseconds since the epoch; null while it is held for sub-agents of its own. */
  dueAt: number | null;
}

const pendingRows = prepared((store) => store.select().from(announcements).orderBy(asc(announcements.dueAt)).prepare());

/** The pending announcements, the first due first; few, because acknowledged ones are deleted. */
export const pendingAnnouncements = cachedRead((store): readonly PendingAnnouncement[] =>
  pendingRows(store).all().flatMap(readableAnnouncement),
);

/** Inserts or updates an announcement. */
export function saveAnnouncement(store: Store, { runId, report, attempts, dueAt }: PendingAnnouncement): void {
  const now = { body: report, attempts, dueAt };
  store
    .insert(announcements)
    .values({ runId, ...now })
    .onConflictDoUpdate({ target: announcements.runId, set: now })
    .run();
}

/** Deletes an announcement that was acknowledged, or that has no recipient. */
export function dropAnnouncement(store: Store, runId: string): void {
  store.delete(announcements).where(eq(announcements.runId, runId)).run();
}

function readableAnnouncement({
  runId,
  body,
  attempts,
  dueAt,
}: typeof announcements.$inferSelect): PendingAnnouncement[] {
  if (body !== undefined) return [{ runId, report: body, attempts, dueAt }];
  log("error", "announcement.unreadable", { runId });
  return [];
}
