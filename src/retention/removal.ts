import { objectNameOf } from "../config/session-ids.ts";
import { comesWithin } from "../lib/comes-within.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { AuditTrail } from "../session-store/audit-trail.ts";
import { isSettled } from "../session-store/run.ts";
import { newestRun, openRuns } from "../session-store/runs.ts";
import { forgetSession } from "../session-store/session-index.ts";
import { readSessionRow, type SessionRow } from "../session-store/session-row.ts";
import { deleteFolder, sessionFolder } from "../session-store/spill.ts";
import type { Store } from "../session-store/store.ts";
import { openSubagents } from "../session-store/subagent-rows.ts";

/** How long a session that is to be deleted waits for what it is doing to stop. */
const STOP_MS = 5000;

/** What deleting needs of the object that it is done for. */
export interface RemovalDeps {
  ctx: Pick<DurableObjectState, "storage" | "abort">;
  files: R2Bucket;
  database: D1Database;
  /** What happened in it stays known. */
  audit: Pick<AuditTrail, "sync">;
  transcripts: { forget(): Promise<void> };
  owner(): SessionRow;
  /** Resolves when nothing is going on any more that might write. */
  idle(): Promise<unknown>;
  /** Tells other sessions of the end. @throws where one has not heard */
  settleSubagents(): Promise<void>;
  /** Forgets in memory what is being deleted in storage. */
  forget(): void;
}

/** Deletes a session that is marked so, with everything that it left. */
export class Removal {
  readonly #deps: RemovalDeps;
  #finishing: Promise<void> | undefined;

  constructor(deps: RemovalDeps) {
    this.#deps = deps;
  }

  /**
   * Goes on until nothing is left; there is one such effort at a time. What is outside of the object goes first, so that
   * the object knows of it for as long as it is there.
   * @throws whatever R2, D1 or other sessions throw: then the rest is still there, and marked
   */
  finish(): Promise<void> {
    this.#finishing ??= this.#deleteAll().finally(() => {
      this.#finishing = undefined;
    });
    return this.#finishing;
  }

  /** Goes on with what was broken off. Never rejects: what fails is tried again with the next alarm. */
  async resume(): Promise<void> {
    try {
      await this.finish();
    } catch (error) {
      log("error", "removal.failed", { error: messageOf(error) });
    }
  }

  async #deleteAll(): Promise<void> {
    const { ctx, files, database, audit, transcripts, owner, idle, settleSubagents, forget } = this.#deps;
    const { agentId, key } = owner();
    // What does not listen ends with this incarnation; the next one finds nothing going on and deletes.
    if (!(await comesWithin(STOP_MS, idle()))) ctx.abort("The session is being deleted.");
    await settleSubagents();
    await audit.sync();
    await deleteFolder(files, sessionFolder(agentId, await objectNameOf(key)));
    await forgetSession(database, key);
    await transcripts.forget();
    const deleted = ctx.storage.deleteAll();
    forget();
    await deleted;
  }
}

/**
 * When a session that was begun for one matter only is to be deleted: a while after its last run, so that the answer
 * can be asked for again. Undefined where it stays, or is at work, be it through sub-agents.
 */
export function expiresAt(store: Store): number | undefined {
  const { lingerMs } = readSessionRow(store)?.settings ?? {};
  if (lingerMs === undefined || openRuns(store).some(({ state }) => !isSettled(state))) return undefined;
  if (openSubagents(store).length > 0) return undefined;
  const state = newestRun(store)?.state;
  return state !== undefined && isSettled(state) ? state.endedAt + lingerMs : undefined;
}

/** Whether a session is to be deleted now. */
export function isExpired(store: Store, now: number): boolean {
  const at = expiresAt(store);
  return at !== undefined && at <= now;
}
