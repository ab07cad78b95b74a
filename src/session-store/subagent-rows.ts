import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import { log } from "../lib/log.ts";
import { announcements, subagents } from "./schema.ts";
import { cachedRead, prepared, type Store } from "./store.ts";
import { isOpen, type Subagent, type SubagentReport } from "./subagent.ts";

/** A sub-agent where it is stored. */
export interface SubagentRow {
  /** Its session key. */
  key: string;
  /** The run that started it. */
  runId: string;
  subagent: Subagent;
}

/** Words for word the condition of the index `children_open`. */
const OPEN = sql`${subagents.open} = 1`;

const openRows = prepared((store) => store.select().from(subagents).where(OPEN).orderBy(sql`rowid`).prepare());

/** The sub-agents for which something is left to be done, in the order in which they were started. */
export const openSubagents = cachedRead((store): readonly SubagentRow[] =>
  openRows(store).all().flatMap(readableSubagent),
);

/** The sub-agents that a session started last, the newest first. */
export function recentSubagents(store: Store, limit: number): SubagentRow[] {
  return store.select().from(subagents).orderBy(desc(sql`rowid`)).limit(limit).all().flatMap(readableSubagent);
}

/** A sub-agent by its session key. */
export function findSubagentRow(store: Store, key: string): SubagentRow | undefined {
  return store.select().from(subagents).where(eq(subagents.key, key)).all().flatMap(readableSubagent)[0];
}

/** Stores a sub-agent, a new one or as it is now. */
export function saveSubagent(store: Store, { key, runId, subagent }: SubagentRow): void {
  const now = { runId, open: isOpen(subagent), body: subagent };
  store
    .insert(subagents)
    .values({ key, ...now })
    .onConflictDoUpdate({ target: subagents.key, set: now })
    .run();
}

/** Forgets the sub-agents that ended before an instant; their own sessions stay. */
export function dropEndedSubagents(store: Store, before: number): void {
  const endedAt = sql`CASE WHEN json_valid(${subagents.body}) THEN ${subagents.body} ->> '$.phase.at' ELSE 0 END`;
  store
    .delete(subagents)
    .where(and(eq(subagents.open, false), lt(endedAt, before)))
    .run();
}

/** A row that cannot be read is as good as none: its sub-agent's result is not told, and nothing else suffers. */
function readableSubagent({ key, runId, body }: typeof subagents.$inferSelect): SubagentRow[] {
  if (body !== undefined) return [{ key, runId, subagent: body }];
  log("error", "subagent.unreadable", { sessionKey: key });
  return [];
}

/** Something that who started this session is to be told. */
export interface PendingAnnouncement {
  /** The run whose end it is. */
  runId: string;
  report: SubagentReport;
  attempts: number;
  /** When to tell it, in milliseconds since the epoch; null while the work goes on in sub-agents of its own. */
  dueAt: number | null;
}

const pendingRows = prepared((store) => store.select().from(announcements).orderBy(asc(announcements.dueAt)).prepare());

/** What is still to be told, what is due first first; few, because what was heard is gone. */
export const pendingAnnouncements = cachedRead((store): readonly PendingAnnouncement[] =>
  pendingRows(store).all().flatMap(readableAnnouncement),
);

/** Stores a notice, a new one or as it is now. */
export function saveAnnouncement(store: Store, { runId, report, attempts, dueAt }: PendingAnnouncement): void {
  const now = { body: report, attempts, dueAt };
  store
    .insert(announcements)
    .values({ runId, ...now })
    .onConflictDoUpdate({ target: announcements.runId, set: now })
    .run();
}

/** It was heard, or nobody wants it. */
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
