import { asc, desc, lte, sql } from "drizzle-orm";
import { events } from "../session-store/schema.ts";
import { saveOldestCursor } from "../session-store/session-row.ts";
import type { RetentionDeps } from "./retention-deps.ts";

/** Most rows of events that are kept. */
export const MAX_EVENT_ROWS = 5000;
/** Rows that go in one commit. */
const BATCH = 200;

/**
 * Clears away the events, other than messages, from before an instant, and the oldest of too many. From then on a
 * reader whose cursor is older is told so.
 */
export async function clearEvents({ store, fence, log }: RetentionDeps, before: number): Promise<void> {
  const newestFirst = store.select({ seq: events.seq }).from(events).orderBy(desc(events.seq));
  const surplusSeq = newestFirst.limit(1).offset(MAX_EVENT_ROWS).get()?.seq ?? 0;
  const ts = sql<number | null>`CASE WHEN json_valid(${events.body}) THEN ${events.body} ->> '$[#-1].ts' END`;
  for (;;) {
    const rows = store.select({ seq: events.seq, ts }).from(events).orderBy(asc(events.seq)).limit(BATCH).all();
    const last = rows.findLast((row) => row.seq <= surplusSeq || (row.ts ?? before) < before)?.seq;
    if (last === undefined) return;
    fence.write(() => {
      store.delete(events).where(lte(events.seq, last)).run();
      saveOldestCursor(store, last);
    });
    log.clearedUpTo(last);
    if (last !== rows.at(-1)?.seq) return;
    await scheduler.wait(0);
  }
}
