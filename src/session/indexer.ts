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
  readonly #told = new Map<string, "on its way" | "known">();
  #telling: Promise<void> | undefined;

  constructor(room: IndexRoom) {
    this.#room = room;
  }

  /** Whether the index lags behind. What is on its way to it may still get lost. */
  get isBehind(): boolean {
    return this.#newsworthy().some((row) => this.#told.get(keyOf(row)) !== "known");
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

  /** Everything was deleted, here and in the index. */
  forget(): void {
    this.#told.clear();
  }

  /** Lets go of the runs that the index knows. To be called within the fence, as part of another commit. */
  closeTold(): void {
    for (const row of openRuns(this.#room.store)) {
      if (!isSettled(row.state) || this.#told.get(row.id) !== "known") continue;
      this.#told.delete(row.id);
      closeRun(this.#room.store, row.id);
    }
  }

  /** Whether `closeTold` has something to do. */
  get hasTold(): boolean {
    return [...this.#told.values()].includes("known");
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

  /** The runs that the index is to know of. */
  #newsworthy(): OpenRun[] {
    return openRuns(this.#room.store).filter(({ state }) => isSettled(state) || state.status === "waiting_approval");
  }

  #untold(): OpenRun[] {
    return this.#newsworthy().filter((row) => !this.#told.has(keyOf(row)));
  }

  /** Goes on until nothing is untold, or the index could not be told: that is left to an alarm. */
  async #tellSoon(): Promise<void> {
    let isHeard = true;
    do {
      await scheduler.wait(TELL_AFTER_MS);
      isHeard = await this.#tellAll(this.#untold());
    } while (isHeard && this.#untold().length > 0);
  }

  /** Whether the index knows it all now. */
  async #tellAll(untold: readonly OpenRun[]): Promise<boolean> {
    const { database, owner } = this.#room;
    const settled = untold.filter((row) => isSettled(row.state));
    const tasks = untold.flatMap((row) => {
      const { id, state } = row;
      if (state.status !== "waiting_approval") return [];
      return [this.#note([row], () => indexApprovals(database, owner(), id, state))];
    });
    if (settled.length > 0) tasks.push(this.#note(settled, () => indexRuns(database, owner(), settled, Date.now())));
    return (await Promise.all(tasks)).every((isHeard) => isHeard);
  }

  /** Tells the index something, and remembers what it knows then. */
  async #note(rows: readonly OpenRun[], telling: () => Promise<void>): Promise<boolean> {
    for (const row of rows) this.#told.set(keyOf(row), "on its way");
    try {
      await telling();
      // What was taken back meanwhile stays so.
      for (const row of rows) if (this.#told.has(keyOf(row))) this.#told.set(keyOf(row), "known");
      return true;
    } catch (error) {
      log("warn", "index.failed", { error: messageOf(error) });
      for (const row of rows) this.#told.delete(keyOf(row));
      return false;
    }
  }
}

function keyOf({ id, state }: OpenRun): string {
  return state.status === "waiting_approval" ? keyOfPause(id) : id;
}

function keyOfPause(runId: string): string {
  return `pause:${runId}`;
}
