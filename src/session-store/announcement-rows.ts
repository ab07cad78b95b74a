import { asc, eq } from "drizzle-orm";
import { log } from "../lib/log.ts";
import { remembered } from "./cached-reads.ts";
import { prepared } from "./prepared-statements.ts";
import { notices } from "./schema.ts";
import type { Store } from "./store.ts";
import type { ChildReport } from "./subagent-report.ts";

/** Something that who started this session is to be told. */
export interface Notice {
  /** The run whose end it is. */
  runId: string;
  report: ChildReport;
  attempts: number;
  /** When to tell it, in milliseconds since the epoch; null while the work goes on in sub-agents of its own. */
  dueAt: number | null;
}

const all = prepared((store) => store.select().from(notices).orderBy(asc(notices.dueAt)).prepare());

/** What is still to be told, what is due first first; few, because what was heard is gone. */
export const openNotices = remembered((store): readonly Notice[] => all(store).all().flatMap(readable));

/** Stores a notice, a new one or as it is now. */
export function saveNotice(store: Store, { runId, report, attempts, dueAt }: Notice): void {
  const now = { body: report, attempts, dueAt };
  store
    .insert(notices)
    .values({ runId, ...now })
    .onConflictDoUpdate({ target: notices.runId, set: now })
    .run();
}

/** It was heard, or nobody wants it. */
export function dropNotice(store: Store, runId: string): void {
  store.delete(notices).where(eq(notices.runId, runId)).run();
}

function readable({ runId, body, attempts, dueAt }: typeof notices.$inferSelect): Notice[] {
  if (body !== undefined) return [{ runId, report: body, attempts, dueAt }];
  log("error", "notice.unreadable", { runId });
  return [];
}
