import { and, desc, eq, lt, sql } from "drizzle-orm";
import { log } from "../lib/log.ts";
import { remembered } from "./cached-reads.ts";
import { prepared } from "./prepared-statements.ts";
import { children } from "./schema.ts";
import type { Store } from "./store.ts";
import { type Child, isOpen } from "./subagent.ts";

/** A sub-agent where it is stored. */
export interface ChildRow {
  /** Its session key. */
  key: string;
  /** The run that started it. */
  runId: string;
  child: Child;
}

/** Words for word the condition of the index `children_open`. */
const OPEN = sql`${children.open} = 1`;

const open = prepared((store) => store.select().from(children).where(OPEN).orderBy(sql`rowid`).prepare());

/** The sub-agents for which something is left to be done, in the order in which they were started. */
export const openChildren = remembered((store): readonly ChildRow[] => open(store).all().flatMap(readable));

/** The sub-agents that a session started last, the newest first. */
export function recentChildren(store: Store, limit: number): ChildRow[] {
  return store.select().from(children).orderBy(desc(sql`rowid`)).limit(limit).all().flatMap(readable);
}

/** A sub-agent by its session key. */
export function findChild(store: Store, key: string): ChildRow | undefined {
  return store.select().from(children).where(eq(children.key, key)).all().flatMap(readable)[0];
}

/** Stores a sub-agent, a new one or as it is now. */
export function saveChild(store: Store, { key, runId, child }: ChildRow): void {
  const now = { runId, open: isOpen(child), body: child };
  store
    .insert(children)
    .values({ key, ...now })
    .onConflictDoUpdate({ target: children.key, set: now })
    .run();
}

/** Forgets the sub-agents that ended before an instant; their own sessions stay. */
export function dropEndedChildren(store: Store, before: number): void {
  const endedAt = sql`CASE WHEN json_valid(${children.body}) THEN ${children.body} ->> '$.phase.at' ELSE 0 END`;
  store
    .delete(children)
    .where(and(eq(children.open, false), lt(endedAt, before)))
    .run();
}

/** A row that cannot be read is as good as none: its sub-agent's result is not told, and nothing else suffers. */
function readable({ key, runId, body }: typeof children.$inferSelect): ChildRow[] {
  if (body !== undefined) return [{ key, runId, child: body }];
  log("error", "child.unreadable", { sessionKey: key });
  return [];
}
