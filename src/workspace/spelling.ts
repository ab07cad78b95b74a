import { type FileStore, fileAt, fitsObjectKey } from "./file-store.ts";
import { checkFolder, checkPath } from "./paths.ts";
import { WorkspaceError } from "./workspace.ts";

/** The one spelling of a path by which things of ours are kept: its accents composed (NFC). */
export function composed(path: string): string {
  return path.normalize("NFC");
}

/**
 * How a folder may be spelt in R2: as it is given, composed (NFC), as models and browsers write it, and decomposed (NFD),
 * as programs on macOS upload it. They look the same, so they are the same to everybody who names one.
 * @throws WorkspaceError `bad_path`
 */
export function folderSpellings(folder: string): string[] {
  return pathSpellings(checkFolder(folder));
}

/**
 * The spelling in which a file is there; where it is in none, that in which it is to be made. Costs nothing for a path
 * that has but one spelling. @throws WorkspaceError `bad_path`
 */
export async function spellingFor(store: FileStore, path: string): Promise<string> {
  const spellings = pathSpellings(checkPath(path));
  return spellings.length === 1 ? path : ((await firstThere(store, spellings)) ?? composed(path));
}

/** Reads a file in the first spelling in which it is there: no dearer where that is the given one. @throws WorkspaceError */
export async function inItsSpelling<T>(
  store: FileStore,
  path: string,
  read: (spelt: string) => Promise<T>,
): Promise<T> {
  try {
    return await read(checkPath(path));
  } catch (thrown) {
    const isMissing = thrown instanceof WorkspaceError && thrown.code === "not_found";
    const other = isMissing ? await firstThere(store, pathSpellings(path).slice(1)) : undefined;
    if (other === undefined) throw thrown;
    return read(other);
  }
}

function pathSpellings(path: string): string[] {
  return [...new Set([path, composed(path), path.normalize("NFD")])];
}

async function firstThere(store: FileStore, spellings: readonly string[]): Promise<string | undefined> {
  for (const spelt of spellings) {
    if (fitsObjectKey(store, spelt) && (await fileAt(store, spelt)) !== undefined) return spelt;
  }
  return undefined;
}
