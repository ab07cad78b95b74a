import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { forgetApprovals, indexApprovals, indexRuns } from "./catalog.ts";
import { isSettled } from "./run.ts";
import { closeRun, type OpenRun, openRuns } from "./runs.ts";
import type { SessionRow } from "./session-row.ts";
import type { Store } from "./store.ts";

/** How long a session's news may gather before the index is told. */
const TELL_AFTER_MS = 200;

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
  #telling: Promise<void> | undefined;

  constructor(room: IndexRoom) {
    this.#room = room;
  }

  /** Whether the index lags behind and nobody is about to tell it. */
  get isBehind(): boolean {
    return this.#untold().length > 0;
  }

  /** Tells the index, a moment from now, what it does not know then: what ends in quick succession is told at once. Never rejects. */
  tell(): Promise<void> {
    this.#telling ??= this.#tellSoon().finally(() => {
      this.#telling = undefined;
    });
    return this.#telling;
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

  async #tellSoon(): Promise<void> {
    await scheduler.wait(TELL_AFTER_MS);
    const untold = this.#untold();
    const { database, owner } = this.#room;
    const settled = untold.filter((row) => isSettled(row.state));
    const tasks = untold.flatMap(({ id, state }) =>
      state.status === "waiting_approval"
        ? [this.#note([keyOfPause(id)], () => indexApprovals(database, owner(), id, state))]
        : [],
    );
    if (settled.length > 0) {
      const ids = settled.map((row) => row.id);
      tasks.push(this.#note(ids, () => indexRuns(database, owner(), settled, Date.now())));
    }
    await Promise.all(tasks);
  }

  /** Tells the index something, and remembers what it knows then. */
  async #note(keys: readonly string[], telling: () => Promise<void>): Promise<void> {
    for (const key of keys) this.#told.add(key);
    try {
      await telling();
    } catch (error) {
      log("warn", "index.failed", { error: messageOf(error) });
      for (const key of keys) this.#told.delete(key);
    }
  }
}

function keyOfPause(runId: string): string {
  return `pause:${runId}`;
}
