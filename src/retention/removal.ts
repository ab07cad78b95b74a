import { objectNameOf } from "../config/session-ids.ts";
import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { AuditTrail } from "../session-store/audit-trail.ts";
import { isSettled } from "../session-store/run.ts";
import { newestRun, openRuns } from "../session-store/runs.ts";
import { forgetSession } from "../session-store/session-index.ts";
import { readSessionRow, type SessionRow } from "../session-store/session-row.ts";
import { deleteFolder, sessionFolder } from "../session-store/spill.ts";
import type { Store } from "../session-store/store.ts";
import { openSubagents, subagentKeys } from "../session-store/subagent-rows.ts";
import { putTombstone, readTombstone, tombstoneOf } from "../session-store/tombstone.ts";

/** How long a deletion waits for current work to stop. */
const STOP_MS = 5000;

/** Dependencies of `Removal`. */
export interface RemovalDeps {
  ctx: Pick<DurableObjectState, "storage" | "abort">;
  store: Store;
  files: R2Bucket;
  database: D1Database;
  /** The audit trail outlives the session. */
  audit: Pick<AuditTrail, "sync">;
  transcripts: { forget(): Promise<void> };
  session(): SessionRow;
  /** Resolves when no work is under way that could write. */
  idle(): Promise<unknown>;
  /**
   * Reports the end of the session to other sessions.
   * @throws where one has not acknowledged it
   */
  settleSubagents(): Promise<void>;
  /** Deletes a sub-agent's session. @throws where it does not answer */
  remove(sessionKey: string): Promise<void>;
  /** Clears in memory what is being deleted in storage. */
  forget(): void;
}

/** Deletes a session that is marked as being deleted, with all of its objects and rows. */
export class Removal {
  readonly #deps: RemovalDeps;
  #finishing: Promise<void> | undefined;

  constructor(deps: RemovalDeps) {
    this.#deps = deps;
  }

  /**
   * Deletes until nothing is left; only one deletion runs at a time. What is outside of the object goes first, so that
   * the object can resume.
   * @throws any error of R2, D1 or other sessions: the rest stays, and stays marked
   */
  finish(): Promise<void> {
    this.#finishing ??= this.#deleteAll().finally(() => {
      this.#finishing = undefined;
    });
    return this.#finishing;
  }

  /** Resumes an interrupted deletion. Never rejects: what fails is repeated with the next alarm. */
  async resume(): Promise<void> {
    try {
      await this.finish();
    } catch (error) {
      log("error", "removal.failed", { error: messageOf(error) });
    }
  }

  async #deleteAll(): Promise<void> {
    const { ctx, store, files, database, audit, transcripts, session, idle, settleSubagents, remove, forget } =
      this.#deps;
    const { agentId, key } = session();
    // Work that does not stop ends with this incarnation; the next one has none and deletes.
    if (!(await comesWithin(STOP_MS, idle()))) ctx.abort("The session is being deleted.");
    await settleSubagents();
    for (const subagent of subagentKeys(store)) await remove(subagent);
    await audit.sync();
    await deleteFolder(files, sessionFolder(agentId, await objectNameOf(key)));
    await forgetSession(database, key);
    await transcripts.forget();
    const now = Date.now();
    const tombstone = tombstoneOf(store, now, readTombstone(ctx.storage, now));
    const deleted = ctx.storage.deleteAll();
    forget();
    await deleted;
    if (tombstone !== undefined) await putTombstone(ctx.storage, tombstone);
  }
}

/**
 * When a session with an expiry is deleted: some time after its last run, so that its answer can be fetched again.
 * Undefined where it stays, or a run or sub-agent is active.
 */
export function expiresAt(store: Store): number | undefined {
  const { lingerMs } = readSessionRow(store)?.settings ?? {};
  if (lingerMs === undefined || openRuns(store).some(({ state }) => !isSettled(state))) return undefined;
  if (openSubagents(store).length > 0) return undefined;
  const state = newestRun(store)?.state;
  return state !== undefined && isSettled(state) ? state.endedAt + lingerMs : undefined;
}

/** Whether a session is due for deletion. */
export function isExpired(store: Store, now: number): boolean {
  const at = expiresAt(store);
  return at !== undefined && at <= now;
}
