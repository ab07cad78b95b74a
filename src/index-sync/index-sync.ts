import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { AuditTrail } from "../session-store/audit-trail.ts";
import type { Fence } from "../session-store/fence.ts";
import { isSettled, type RunState } from "../session-store/run.ts";
import { closeRun, type OpenRun, openRuns } from "../session-store/runs.ts";
import { forgetApprovals, indexApprovals, indexRuns } from "../session-store/session-index.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";

/** How long a session's news may gather before the index is told. */
const SYNC_DELAY_MS = 200;

/** What telling the index needs of the object that it is done for. */
export interface IndexSyncDeps {
  store: Store;
  fence: Fence;
  database: D1Database;
  audit: AuditTrail;
  owner(): SessionRow;
}

/**
 * Keeps the index of all sessions, runs and waiting calls, and the audit trail, in step with one session, after the fact. A run stays open
 * until the index knows how it ended, so that a later incarnation tells it again; telling it twice does no harm.
 */
export class IndexSync {
  readonly #deps: IndexSyncDeps;
  /** The calls that the index knows to wait for a person, by their approvals. */
  readonly #indexedApprovals = new Set<string>();
  #syncing: Promise<void> | undefined;

  constructor(deps: IndexSyncDeps) {
    this.#deps = deps;
  }

  /** Whether the index lags behind; also while it is being told, because that may get lost. */
  get isBehind(): boolean {
    return this.#pending().length > 0 || this.#deps.audit.isBehind;
  }

  /**
   * Tells the index, a moment from now, what it does not know then: what ends in quick succession is told at once. Goes
   * on until it knows everything or cannot be told. Never rejects.
   */
  sync(): Promise<void> {
    this.#syncing ??= this.#syncSoon().finally(() => {
      this.#syncing = undefined;
    });
    return this.#syncing;
  }

  /** Resolves when the index is not being told anything. */
  async idle(): Promise<void> {
    await this.#syncing;
  }

  /** Everything was deleted, here and in the index. */
  forget(): void {
    this.#indexedApprovals.clear();
  }

  /** A person has spoken on a run's calls, or nobody has to any more. Never rejects. */
  async forgetApprovals(runId: string): Promise<void> {
    await succeeds(() => forgetApprovals(this.#deps.database, runId));
  }

  #pending(): OpenRun[] {
    return openRuns(this.#deps.store).filter(
      ({ state }) => isSettled(state) || undecidedApprovals(state).some((id) => !this.#indexedApprovals.has(id)),
    );
  }

  async #syncSoon(): Promise<void> {
    let isSynced = true;
    do {
      await scheduler.wait(SYNC_DELAY_MS);
      isSynced = await succeeds(() => this.#syncNow(this.#pending()));
    } while (isSynced && this.isBehind);
  }

  async #syncNow(rows: readonly OpenRun[]): Promise<void> {
    const { store, fence, database, audit, owner } = this.#deps;
    await audit.sync();
    for (const { id, state } of rows) {
      if (state.status !== "waiting_approval") continue;
      await indexApprovals(database, owner(), id, state);
      for (const approvalId of undecidedApprovals(state)) this.#indexedApprovals.add(approvalId);
    }
    const settled = rows.filter(({ state }) => isSettled(state));
    if (settled.length === 0) return;
    await indexRuns(database, owner(), settled, Date.now());
    fence.write(() => {
      for (const { id } of settled) closeRun(store, id);
    });
  }
}

/** The calls of a run on which a person has yet to speak. */
function undecidedApprovals(state: RunState): string[] {
  if (state.status !== "waiting_approval") return [];
  return state.approvals.flatMap(({ id, decision }) => (decision === undefined ? [id] : []));
}

/** Whether it could be done. */
async function succeeds(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    log("warn", "index.failed", { error: messageOf(error) });
    return false;
  }
}
