import { atMost } from "../lib/at-most.ts";
import { messageOf } from "../lib/errors.ts";
import type { Label } from "../security/labels.ts";
import type { Mask } from "../security/mask.ts";
import { type Expectation, type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import { MAX_CHANGES } from "./limits.ts";
import type { ChangedFile } from "./shell.ts";
import { type Entry, type FileEntry, type StoredFile, WORKSPACE } from "./tree.ts";

/** Most files that are on their way at once. */
const IN_FLIGHT = 6;

/** What the changes of a run are stored with. */
export interface WriteBackDeps {
  workspace: Pick<Workspace, "read" | "write" | "remove">;
  mask: Mask;
  /** Where the words of the run come from, as far as they are known when a file is written. */
  labels(): readonly Label[];
  /** Checked before each file: what is stored by then stays. */
  signal: AbortSignal;
}

/** The stored changes of a run. */
export interface WriteBackResult {
  written: ChangedFile[];
  removed: string[];
  /** Sentences about changes that were not stored. */
  conflicts: string[];
}

/**
 * Stores the changes of a run file by file, each only over the version that the run started from. Files are removed
 * after all writes, and only if every write succeeded, because a removed file may have been moved.
 * @throws the signal's reason
 */
export async function writeBack(
  { written, removed, notes }: WorkspaceChanges,
  { workspace, mask, labels, signal }: WriteBackDeps,
): Promise<WriteBackResult> {
  const done: WriteBackResult = { written: [], removed: [], conflicts: [...notes] };
  if (written.length + removed.length > MAX_CHANGES) {
    const count = written.length + removed.length;
    done.conflicts.push(`Nothing was stored: the script changed ${count} files, and ${MAX_CHANGES} are the most.`);
    return done;
  }
  let whole = true;
  const inMemory = written.filter(({ file }) => file.bytes !== undefined);
  const moved = written.filter(({ file }) => file.bytes === undefined);
  const store = async (one: ChangedEntry): Promise<void> => {
    signal.throwIfAborted();
    try {
      const changed = await writeOne(one, workspace, mask, labels);
      if (changed !== undefined) done.written.push(changed);
    } catch (thrown) {
      whole = false;
      done.conflicts.push(`${one.path} was not written: ${writeFailureReason(thrown)}`);
    }
  };
  await atMost(IN_FLIGHT, inMemory, store);
  // These files were moved or copied unread: their bytes are loaded one file at a time.
  await atMost(1, moved, store);
  if (!whole && removed.length > 0) {
    const paths = removed.map(({ path }) => path).join(", ");
    done.conflicts.push(`Not removed, because not everything could be written: ${paths}`);
    return sorted(done);
  }
  await atMost(IN_FLIGHT, removed, async ({ path, stored }) => {
    signal.throwIfAborted();
    try {
      await workspace.remove(path, { kind: "etag", etag: stored.etag });
      done.removed.push(path);
    } catch (thrown) {
      if (thrown instanceof WorkspaceError && thrown.code === "not_found") done.removed.push(path);
      else done.conflicts.push(`${path} was not removed: ${writeFailureReason(thrown)}`);
    }
  });
  return sorted(done);
}

/** Writes one file. @returns undefined if the stored file already has these bytes */
async function writeOne(
  { path, file, replaced }: ChangedEntry,
  workspace: Pick<Workspace, "write">,
  mask: Mask,
  labels: () => readonly Label[],
): Promise<ChangedFile | undefined> {
  const bytes = file.bytes ?? (await file.stored?.read()) ?? new Uint8Array();
  if (mask.mask(path) !== path) throw new Error("its name holds the value of a secret.");
  if (mask.holds(bytes)) throw new Error("it holds the value of a secret, and secrets are not kept in files.");
  const expect: Expectation = replaced === undefined ? { kind: "new" } : { kind: "etag", etag: replaced.etag };
  const from = labels();
  const { etag } = await workspace.write(path, bytes, expect, from.length === 0 ? undefined : { labels: from });
  if (etag === replaced?.etag) return undefined;
  return { path, etag, ...(replaced !== undefined && { before: replaced.etag }) };
}

function writeFailureReason(thrown: unknown): string {
  if (!(thrown instanceof WorkspaceError) || thrown.code !== "conflict") return messageOf(thrown);
  return "somebody else changed, made or deleted it while the script ran. Look at it, then run the script again.";
}

function sorted(done: WriteBackResult): WriteBackResult {
  done.written.sort((a, b) => (a.path < b.path ? -1 : 1));
  done.removed.sort();
  return done;
}

/** The changes of a run in the workspace. Paths are relative to it. */
export interface WorkspaceChanges {
  written: ChangedEntry[];
  removed: { path: string; stored: StoredFile }[];
  /** Sentences about changes that cannot be stored, such as links. */
  notes: string[];
}

export interface ChangedEntry {
  path: string;
  file: FileEntry;
  /** The stored file that it replaces. */
  replaced: StoredFile | undefined;
}

/**
 * Compares the files at the start of a run with those at its end.
 * @param stopped whether the run was aborted: a file that it emptied and had not yet rewritten is kept as it was
 */
export function findChanges(
  before: readonly StoredFile[],
  after: readonly [string, Entry][],
  stopped: boolean,
): WorkspaceChanges {
  const known = new Map(before.map((stored) => [stored.path, stored]));
  const there = new Set(after.map(([path]) => path));
  const changes: WorkspaceChanges = { written: [], removed: [], notes: [] };
  for (const [path, entry] of after) {
    const replaced = known.get(path);
    const shown = relative(path);
    if (entry.kind === "link") changes.notes.push(`${shown} is a link; links are gone after the run.`);
    if (entry.kind !== "file" || (entry.stored !== undefined && entry.stored === replaced)) continue;
    const emptied = entry.bytes?.length === 0 && replaced !== undefined && replaced.size > 0;
    if (stopped && emptied) changes.notes.push(`${shown} stays as it was: what writes to it had not come to its end.`);
    else changes.written.push({ path: shown, file: entry, replaced });
  }
  for (const stored of before) {
    if (!there.has(stored.path)) changes.removed.push({ path: relative(stored.path), stored });
  }
  return changes;
}

function relative(path: string): string {
  return path.slice(WORKSPACE.length + 1);
}
