import type { EventLog } from "../events/event-log.ts";
import type { Fence } from "../store/fence.ts";
import type { SessionRow } from "../store/session-row.ts";
import type { Store } from "../store/store.ts";

/** What clearing away needs of the object that it is done for. */
export interface RetentionRoom {
  store: Store;
  fence: Fence;
  log: EventLog;
  database: D1Database;
  files: R2Bucket;
  owner(): SessionRow;
  /** After how many days history goes; 0 means never. */
  keepDays(): number;
  now(): number;
}
