import type { SettledRun } from "../session-store/run.ts";

type Done = (state: SettledRun | undefined) => void;

/** Who waits, in this incarnation, for the end of which run. */
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

  /** Tells everybody who waits for this run. Whoever gave up before takes no notice. */
  resolve(runId: string, state: SettledRun): void {
    for (const done of this.#byRun.get(runId) ?? []) done(state);
    this.#byRun.delete(runId);
  }

  /** Lets those who wait for one run wait for another, which it joined. */
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
