import { type Expectation, WorkspaceError } from "./workspace.ts";

/** A write that is under way or waits for those before it. */
interface QueuedWrite {
  /** Undefined for a delete. */
  expect: Expectation | undefined;
}

interface KeyQueue {
  /** In the order in which they came. */
  waiting: QueuedWrite[];
  /** Settles when all that came so far are done. */
  end: Promise<unknown>;
  /** True once the store refused a write and that gave way to a newer one. */
  hasYielded: boolean;
}

/**
 * Lets the writes to one key of R2 go one after the other, because a key takes about one a second. Where the store refuses
 * one and a newer one waits that may go over the same version, only the newest is written: the others give way, which
 * their callers hear as a `conflict`.
 */
export class WriteQueue {
  readonly #lines = new Map<string, KeyQueue>();

  /** Writes once those before are done. `yieldToNewer` throws where a newer write waits; to be asked after a refusal. */
  async run<T>(
    key: string,
    path: string,
    expect: Expectation | undefined,
    write: (yieldToNewer: () => void) => Promise<T>,
  ): Promise<T> {
    const line = this.#lines.get(key) ?? { waiting: [], end: Promise.resolve(), hasYielded: false };
    this.#lines.set(key, line);
    const mine: QueuedWrite = { expect };
    line.waiting.push(mine);
    const yieldToNewer = () => {
      const newer = line.waiting.slice(line.waiting.indexOf(mine) + 1);
      if (!newer.some((other) => supersedes(other.expect, expect))) return;
      line.hasYielded = true;
      throw overtaken(path);
    };
    const turn = line.end.then(() => {
      if (line.hasYielded) yieldToNewer();
      line.hasYielded = false;
      return write(yieldToNewer);
    });
    line.end = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      line.waiting.splice(line.waiting.indexOf(mine), 1);
      if (line.waiting.length === 0) this.#lines.delete(key);
    }
  }
}

/** Whether a write would succeed as well where an older one was left out. */
function supersedes(newer: Expectation | undefined, older: Expectation | undefined): boolean {
  if (newer === undefined || older === undefined) return false;
  return newer.kind === "any" || (newer.kind === "etag" && older.kind === "etag" && newer.etag === older.etag);
}

function overtaken(path: string): WorkspaceError {
  const why = "the file store was busy, and a newer write to it was waiting, which is tried instead";
  return new WorkspaceError("conflict", path, `\`${path}\` was not written: ${why}.`);
}
