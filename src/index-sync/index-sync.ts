import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { noteOutcome } from "../schedule/schedule-store.ts";
import type { Operations } from "../services/operations.ts";
import type { AuditTrail } from "../session-store/audit-trail.ts";
import type { Fence } from "../session-store/fence.ts";
import { isSettled, type RunState, withOperations } from "../session-store/run.ts";
import { closeRun, type OpenRun, openRuns } from "../session-store/runs.ts";
import { forgetApprovals, indexApprovals, indexRuns } from "../session-store/session-index.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import { slotOutcome } from "../session-store/slot-outcome.ts";
import type { Store } from "../session-store/store.ts";

/** How long changes are collected before they are written to the index. */
const SYNC_DELAY_MS = 200;

/** Dependencies of `IndexSync`. */
export interface IndexSyncDeps {
  store: Store;
  fence: Fence;
  database: D1Database;
  audit: AuditTrail;
  session(): SessionRow;
  /** The pauses before a failed job is tried again, in milliseconds. */
  retry(): readonly number[];
  /** What a run has used of the platform; undefined if another one has begun since. */
  operations(runId: string): Operations | undefined;
}

/**
 * Copies the state of one session to the index of all sessions, runs and approvals, and its audit lines to the audit
 * trail, after the fact. A run stays open until its end is indexed, so that a later incarnation repeats it; repeating
 * is harmless.
 */
export class IndexSync {
  readonly #deps: IndexSyncDeps;
  /** The pending approvals that are in the index. */
  readonly #indexedApprovals = new Set<string>();
  #syncing: Promise<void> | undefined;

  constructor(deps: IndexSyncDeps) {
    this.#deps = deps;
  }

  /** Whether the index is out of date, also while it is being written, because that may fail. */
  get isBehind(): boolean {
    return this.#pending().length > 0 || this.#deps.audit.isBehind;
  }

  /**
   * Writes changes to the index after a short delay, so that those in quick succession share a write. Continues until
   * it is up to date or a write fails. Never rejects.
   */
  sync(): Promise<void> {
    this.#syncing ??= this.#syncSoon().finally(() => {
      this.#syncing = undefined;
    });
    return this.#syncing;
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#syncing;
  }

  /** The session was deleted, here and in the index. */
  forget(): void {
    this.#indexedApprovals.clear();
  }

  /** The approvals of a run were decided, or no longer matter. Never rejects. */
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

  /** Tells the schedule how a run that the clock started has ended. @throws Error while its slot is not settled */
  async #noteOutcome({ id, state }: OpenRun): Promise<void> {
    const outcome = slotOutcome(id, state, this.#deps.retry());
    if (outcome === undefined) return;
    if (!(await noteOutcome(this.#deps.database, outcome))) throw new Error(`The slot of ${id} is not settled yet.`);
  }

  async #syncNow(rows: readonly OpenRun[]): Promise<void> {
    const { store, fence, database, audit, session, operations } = this.#deps;
    await audit.sync();
    for (const { id, state } of rows) {
      if (state.status !== "waiting_approval") continue;
      await indexApprovals(database, session(), id, state);
      for (const approvalId of undecidedApprovals(state)) this.#indexedApprovals.add(approvalId);
    }
    const settled = rows.filter(({ state }) => isSettled(state));
    if (settled.length === 0) return;
    const told = settled.filter(({ state }) => !isQuiet(state));
    await indexRuns(database, session(), told, Date.now());
    for (const row of told) await this.#noteOutcome(row);
    fence.write(() => {
      for (const { id, state } of settled) closeRun(store, id, withOperations(state, operations(id)));
    });
  }
}

/** Whether a run is not listed: a heartbeat that had nothing to say. */
function isQuiet(state: RunState): boolean {
  return state.status === "ok" && state.isQuiet === true;
}

/** The undecided approvals of a run. */
function undecidedApprovals(state: RunState): string[] {
  if (state.status !== "waiting_approval") return [];
  return state.approvals.flatMap(({ id, decision }) => (decision === undefined ? [id] : []));
}

/** Whether it succeeded; an error is logged. */
async function succeeds(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    log("warn", "index.failed", { error: messageOf(error) });
    return false;
  }
}
