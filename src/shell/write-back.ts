import { messageOf } from "../lib/errors.ts";
import type { Mask } from "../security/mask.ts";
import { type Expectation, type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import type { Changes, Written } from "./changes.ts";
import { MAX_CHANGES } from "./limits.ts";
import type { ChangedFile } from "./shell.ts";

/** Most files that are on their way at once. */
const IN_FLIGHT = 6;

/** What came of the changes of a run. */
export interface WrittenBack {
  written: ChangedFile[];
  removed: string[];
  /** Sentences about what was not stored. */
  conflicts: string[];
}

/**
 * Stores what a run changed, file by file, each only over the version that the run began from. Files are removed when all
 * others are written, and none where one could not be: it may have been moved there.
 */
export async function writeBack(
  { written, removed, left }: Changes,
  workspace: Pick<Workspace, "read" | "write" | "remove">,
  mask: Mask,
): Promise<WrittenBack> {
  const done: WrittenBack = { written: [], removed: [], conflicts: [...left] };
  if (written.length + removed.length > MAX_CHANGES) {
    const count = written.length + removed.length;
    done.conflicts.push(`Nothing was stored: the script changed ${count} files, and ${MAX_CHANGES} are the most.`);
    return done;
  }
  let whole = true;
  const inMemory = written.filter(({ file }) => file.bytes !== undefined);
  const moved = written.filter(({ file }) => file.bytes === undefined);
  const store = async (one: Written): Promise<void> => {
    try {
      const changed = await writeOne(one, workspace, mask);
      if (changed !== undefined) done.written.push(changed);
    } catch (thrown) {
      whole = false;
      done.conflicts.push(`${one.path} was not written: ${reasonOf(thrown)}`);
    }
  };
  await inTurn(inMemory, IN_FLIGHT, store);
  // Their bytes were never needed, and are in memory one file at a time.
  await inTurn(moved, 1, store);
  if (!whole && removed.length > 0) {
    const paths = removed.map(({ path }) => path).join(", ");
    done.conflicts.push(`Not removed, because not everything could be written: ${paths}`);
    return sorted(done);
  }
  await inTurn(removed, IN_FLIGHT, async ({ path, stored }) => {
    try {
      await workspace.remove(path, { kind: "etag", etag: stored.etag });
      done.removed.push(path);
    } catch (thrown) {
      if (thrown instanceof WorkspaceError && thrown.code === "not_found") done.removed.push(path);
      else done.conflicts.push(`${path} was not removed: ${reasonOf(thrown)}`);
    }
  });
  return sorted(done);
}

/** @returns undefined where the file has these bytes already */
async function writeOne(
  { path, file, over }: Written,
  workspace: Pick<Workspace, "write">,
  mask: Mask,
): Promise<ChangedFile | undefined> {
  const bytes = file.bytes ?? (await file.stored?.read()) ?? new Uint8Array();
  if (mask.mask(path) !== path) throw new Error("its name holds the value of a secret.");
  if (mask.holds(bytes)) throw new Error("it holds the value of a secret, and secrets are not kept in files.");
  const expect: Expectation = over === undefined ? { kind: "new" } : { kind: "etag", etag: over.etag };
  const { etag } = await workspace.write(path, bytes, expect);
  if (etag === over?.etag) return undefined;
  return { path, etag, ...(over !== undefined && { before: over.etag }) };
}

/** Works through a list with so many at once. */
async function inTurn<T>(list: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  const waiting = list.values();
  const worker = async () => {
    for (const one of waiting) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof WorkspaceError) || thrown.code !== "conflict") return messageOf(thrown);
  return "somebody else changed, made or deleted it while the script ran. Look at it, then run the script again.";
}

function sorted(done: WrittenBack): WrittenBack {
  done.written.sort((a, b) => (a.path < b.path ? -1 : 1));
  done.removed.sort();
  return done;
}
