import type { SettledRun } from "../session-store/run.ts";

type Done = (state: SettledRun | undefined) => void;

/** The callers in this incarnation that wait for the end of a run. */
export class Waiters {
  readonly #byRun = new Map<string, Set<Done>>();

  /** Resolves with the run's end, or with undefined after `timeoutMs`. */
  wait(runId: string, timeoutMs: number): Promise<SettledRun | undefined> {
    return new Promise((resolve) => {
      const done: Done = (state) => {
        clearTimeout(timer);
        resolve(state);
      };
      const timer = setTimeout(done, timeoutMs, undefined);
      this.#waitingFor(runId).add(done);
    });
  }

  /** Resolves all waits for this run; waits that timed out are not affected. */
  resolve(runId: string, state: SettledRun): void {
    for (const done of this.#byRun.get(runId) ?? []) done(state);
    this.#byRun.delete(runId);
  }

  /** Moves the waits for a merged run to the run it was merged into. */
  move(runId: string, intoRunId: string): void {
    for (const done of this.#byRun.get(runId) ?? []) this.#waitingFor(intoRunId).add(done);
    this.#byRun.delete(runId);
  }

  #waitingFor(runId: string): Set<Done> {
    const waiting = this.#byRun.get(runId) ?? new Set();
    this.#byRun.set(runId, waiting);
    return waiting;
  }
}
