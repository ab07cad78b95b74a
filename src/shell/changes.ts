import { WORKSPACE } from "./mounts.ts";
import type { Entry, FileEntry, StoredFile } from "./tree.ts";

/** What a run changed in the workspace. Paths are relative to it. */
export interface Changes {
  written: Written[];
  removed: { path: string; stored: StoredFile }[];
  /** Sentences about what is not stored, whatever the store says. */
  left: string[];
}

export interface Written {
  path: string;
  file: FileEntry;
  /** The file that it takes the place of. */
  over: StoredFile | undefined;
}

/**
 * Compares the files that a run began from with those that it leaves.
 * @param stopped whether it was ended from outside: a file that it emptied and had not filled again stays as it was
 */
export function changesOf(before: readonly StoredFile[], after: readonly [string, Entry][], stopped: boolean): Changes {
  const known = new Map(before.map((stored) => [stored.path, stored]));
  const there = new Set(after.map(([path]) => path));
  const changes: Changes = { written: [], removed: [], left: [] };
  for (const [path, entry] of after) {
    const over = known.get(path);
    const shown = relative(path);
    if (entry.kind === "link") changes.left.push(`${shown} is a link; links are gone after the run.`);
    if (entry.kind !== "file" || (entry.stored !== undefined && entry.stored === over)) continue;
    const emptied = entry.bytes?.length === 0 && over !== undefined && over.size > 0;
    if (stopped && emptied) changes.left.push(`${shown} stays as it was: what writes to it had not come to its end.`);
    else changes.written.push({ path: shown, file: entry, over });
  }
  for (const stored of before) {
    if (!there.has(stored.path)) changes.removed.push({ path: relative(stored.path), stored });
  }
  return changes;
}

function relative(path: string): string {
  return path.slice(WORKSPACE.length + 1);
}
