import { asc, eq } from "drizzle-orm";
import { log } from "../lib/log.ts";
import { prepared } from "./prepared-statements.ts";
import { announcements } from "./schema.ts";
import type { Store } from "./store.ts";
import { cachedRead } from "./store.ts";
import type { SubagentReport } from "./subagent-report.ts";

/** Something that who started this session is to be told. */
export interface PendingAnnouncement {
  /** The run whose end it is. */
  runId: string;
  report: SubagentReport;
  attempts: number;
  /** When to tell it, in milliseconds since the epoch; null while the work goes on in sub-agents of its own. */
  dueAt: number | null;
}

const all = prepared((store) => store.select().from(announcements).orderBy(asc(announcements.dueAt)).prepare());

/** What is still to be told, what is due first first; few, because what was heard is gone. */
export const pendingAnnouncements = cachedRead((store): readonly PendingAnnouncement[] =>
  all(store).all().flatMap(readable),
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

function readable({ runId, body, attempts, dueAt }: typeof announcements.$inferSelect): PendingAnnouncement[] {
  if (body !== undefined) return [{ runId, report: body, attempts, dueAt }];
  log("error", "notice.unreadable", { runId });
  return [];
}
