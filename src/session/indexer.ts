import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { forgetApprovals, indexApprovals, indexRun } from "./catalog.ts";
import { isSettled } from "./run.ts";
import { closeRun, type OpenRun, openRuns } from "./runs.ts";
import type { SessionRow } from "./session-row.ts";
import type { Store } from "./store.ts";

/** What telling the index needs of the object that it is done for. */
export interface IndexRoom {
  store: Store;
  database: D1Database;
  owner(): SessionRow;
}

/**
 * Keeps the index of all sessions, runs and waiting calls in step with one session, after the fact. A run stays open
 * until the index knows how it ended, so that a later incarnation tells it again; telling it twice does no harm.
 */
export class Indexer {
  readonly #room: IndexRoom;
  /** What the index is being told, or knows, while its row does not say so yet. */
  readonly #told = new Set<string>();
  #telling: Promise<unknown> = Promise.resolve();

  constructor(room: IndexRoom) {
    this.#room = room;
  }

  /** Whether the index lags behind and nobody is about to tell it. */
  get isBehind(): boolean {
    return this.#untold().length > 0;
  }

  /** Tells the index what it does not know. Never rejects. */
  async tell(): Promise<void> {
    const telling = Promise.all(this.#untold().map((row) => this.#tellOf(row)));
    this.#telling = Promise.all([this.#telling, telling]);
    await telling;
  }

  /** Resolves when the index is not being told anything. */
  async idle(): Promise<void> {
    await this.#telling;
  }

  /** Lets go of the runs that the index knows. To be called within the fence, as part of another commit. */
  closeTold(): void {
    for (const row of openRuns(this.#room.store)) {
      if (isSettled(row.state) && this.#told.delete(row.id)) closeRun(this.#room.store, row.id);
    }
  }

  /** Whether `closeTold` has something to do. */
  get hasTold(): boolean {
    return this.#told.size > 0;
  }

  /** A person has spoken on a run's calls, or nobody has to any more. Never rejects. */
  async forgetApprovals(runId: string): Promise<void> {
    try {
      this.#told.delete(keyOfPause(runId));
      await forgetApprovals(this.#room.database, runId);
    } catch (error) {
      log("warn", "index.failed", { runId, error: messageOf(error) });
    }
  }

  #untold(): OpenRun[] {
    return openRuns(this.#room.store).filter((row) => {
      if (row.state.status === "waiting_approval") return !this.#told.has(keyOfPause(row.id));
      return isSettled(row.state) && !this.#told.has(row.id);
    });
  }

  async #tellOf(row: OpenRun): Promise<void> {
    const { database, owner } = this.#room;
    const paused = row.state.status === "waiting_approval" ? row.state : undefined;
    const key = paused ? keyOfPause(row.id) : row.id;
    this.#told.add(key);
    try {
      if (paused) await indexApprovals(database, owner(), row.id, paused);
      else await indexRun(database, owner(), row, Date.now());
    } catch (error) {
      log("warn", "index.failed", { runId: row.id, error: messageOf(error) });
      this.#told.delete(key);
    }
  }
}

function keyOfPause(runId: string): string {
  return `pause:${runId}`;
}
