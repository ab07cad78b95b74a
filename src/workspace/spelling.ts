import { type FileStore, fileAt, fitsObjectKey } from "./file-store.ts";
import { checkFolder, checkPath } from "./paths.ts";
import { WorkspaceError } from "./workspace.ts";

/** The canonical form (NFC) of a path, under which our own data is keyed. */
export function composed(path: string): string {
  return path.normalize("NFC");
}

/**
 * The forms of a folder's name in R2: as given, composed (NFC) as models and browsers write it, and decomposed (NFD) as
 * macOS programs upload it. They look the same, so they name the same folder.
 * @throws WorkspaceError `bad_path`
 */
export function folderSpellings(folder: string): string[] {
  return pathSpellings(checkFolder(folder));
}

/**
 * The form under which a file exists, or under which it will be created. Free for a path with a single form. @throws
 * WorkspaceError `bad_path`
 */
export async function spellingFor(store: FileStore, path: string): Promise<string> {
  const spellings = pathSpellings(checkPath(path));
  return spellings.length === 1 ? path : ((await firstThere(store, spellings)) ?? composed(path));
}

/** Reads a file under the first form that exists; the given form costs nothing more. @throws WorkspaceError */
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
