import type { Services } from "../services/services.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";

/** What clearing away needs of the object that it is done for. */
export interface RetentionDeps {
  store: Store;
  fence: Fence;
  log: EventLog;
  database: D1Database;
  files: R2Bucket;
  owner(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  services(): Pick<Services, "config">;
  /** Hashes of what models are being sent now: they stay. */
  promptsInUse(): ReadonlySet<string>;
  now(): number;
}
