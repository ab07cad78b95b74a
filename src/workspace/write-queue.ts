import { type Expectation, WorkspaceError } from "./workspace.ts";

/** A running or queued write. */
interface QueuedWrite {
  /** Undefined for a delete. */
  expect: Expectation | undefined;
}

interface KeyQueue {
  /** In order of arrival. */
  waiting: QueuedWrite[];
  /** Settles after all writes queued so far. */
  end: Promise<unknown>;
  /** True once a refused write yielded to a newer one. */
  hasYielded: boolean;
}

/**
 * Serializes writes per R2 key, because a key takes about one write a second. If the store refuses a write while a
 * newer one that may replace the same version is queued, only the newest is written; the others fail with `conflict`.
 */
export class WriteQueue {
  readonly #queues = new Map<string, KeyQueue>();

  /**
   * Runs a write after those before it. `yieldToNewer`, to be called after a refusal, throws if a newer write is
   * queued.
   */
  async run<T>(
    key: string,
    path: string,
    expect: Expectation | undefined,
    write: (yieldToNewer: () => void) => Promise<T>,
  ): Promise<T> {
    const queue = this.#queues.get(key) ?? { waiting: [], end: Promise.resolve(), hasYielded: false };
    this.#queues.set(key, queue);
    const own: QueuedWrite = { expect };
    queue.waiting.push(own);
    const yieldToNewer = () => {
      const newer = queue.waiting.slice(queue.waiting.indexOf(own) + 1);
      if (!newer.some((other) => supersedes(other.expect, expect))) return;
      queue.hasYielded = true;
      throw overtaken(path);
    };
    const turn = queue.end.then(() => {
      if (queue.hasYielded) yieldToNewer();
      queue.hasYielded = false;
      return write(yieldToNewer);
    });
    queue.end = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      queue.waiting.splice(queue.waiting.indexOf(own), 1);
      if (queue.waiting.length === 0) this.#queues.delete(key);
    }
  }
}

/** Whether a newer write succeeds even if the older one is skipped. */
function supersedes(newer: Expectation | undefined, older: Expectation | undefined): boolean {
  if (newer === undefined || older === undefined) return false;
  return newer.kind === "any" || (newer.kind === "etag" && older.kind === "etag" && newer.etag === older.etag);
}

function overtaken(path: string): WorkspaceError {
  const why = "the file store was busy, and a newer write to it was waiting, which is tried instead";
  return new WorkspaceError("conflict", path, `\`${path}\` was not written: ${why}.`);
}
