import { and, desc, eq, lt, sql } from "drizzle-orm";
import { log } from "../lib/log.ts";
import { prepared } from "./prepared-statements.ts";
import { subagents } from "./schema.ts";
import type { Store } from "./store.ts";
import { cachedRead } from "./store.ts";
import { isOpen, type Subagent } from "./subagent.ts";

/** A sub-agent where it is stored. */
export interface SubagentRow {
  /** Its session key. */
  key: string;
  /** The run that started it. */
  runId: string;
  child: Subagent;
}

/** Words for word the condition of the index `children_open`. */
const OPEN = sql`${subagents.open} = 1`;

const open = prepared((store) => store.select().from(subagents).where(OPEN).orderBy(sql`rowid`).prepare());

/** The sub-agents for which something is left to be done, in the order in which they were started. */
export const openSubagents = cachedRead((store): readonly SubagentRow[] => open(store).all().flatMap(readable));

/** The sub-agents that a session started last, the newest first. */
export function recentSubagents(store: Store, limit: number): SubagentRow[] {
  return store.select().from(subagents).orderBy(desc(sql`rowid`)).limit(limit).all().flatMap(readable);
}

/** A sub-agent by its session key. */
export function findSubagentRow(store: Store, key: string): SubagentRow | undefined {
  return store.select().from(subagents).where(eq(subagents.key, key)).all().flatMap(readable)[0];
}

/** Stores a sub-agent, a new one or as it is now. */
export function saveSubagent(store: Store, { key, runId, child }: SubagentRow): void {
  const now = { runId, open: isOpen(child), body: child };
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
function readable({ key, runId, body }: typeof subagents.$inferSelect): SubagentRow[] {
  if (body !== undefined) return [{ key, runId, child: body }];
  log("error", "child.unreadable", { sessionKey: key });
  return [];
}
