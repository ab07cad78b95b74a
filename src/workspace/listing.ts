import { checkFolder, isPath } from "./paths.ts";
import { DELETION_MARK_ETAG, fileOf, type Place } from "./place.ts";
import type { WorkspaceEntry, WorkspaceFile } from "./workspace.ts";

/** The files and folders directly in a folder, by path. One store operation for 1,000 entries. */
export async function listFolder(place: Place, folder: string): Promise<WorkspaceEntry[]> {
  const { objects, folders } = await listKeys(place, folder, { prefix: prefixOf(place, folder), delimiter: "/" });
  const files: WorkspaceEntry[] = filesAmong(place, objects);
  for (const key of folders) {
    const path = key.slice(place.prefix.length, -1);
    if (isPath(path)) files.push({ kind: "folder", path });
  }
  return files.sort(byPath);
}

/** Every file below a folder, by path. */
export async function walkFolder(place: Place, folder: string): Promise<WorkspaceFile[]> {
  const { objects } = await listKeys(place, folder, { prefix: prefixOf(place, folder) });
  return filesAmong(place, objects).sort(byPath);
}

/** All pages of one R2 listing. @throws WorkspaceError `unavailable` */
export async function listKeys(
  place: Pick<Place, "bucket" | "attempt">,
  path: string,
  query: { prefix: string; delimiter?: string },
): Promise<{ objects: R2Object[]; folders: string[] }> {
  const objects: R2Object[] = [];
  const folders: string[] = [];
  let cursor: string | undefined;
  do {
    const options: R2ListOptions = cursor === undefined ? query : { ...query, cursor };
    const page = await place.attempt(path, () => place.bucket.list(options));
    objects.push(...page.objects);
    folders.push(...page.delimitedPrefixes);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return { objects, folders };
}

function prefixOf(place: Place, folder: string): string {
  const path = checkFolder(folder);
  return path === "" ? place.prefix : `${place.prefix}${path}/`;
}

/** Leaves out what is no file to us: deletion marks, and keys that other programs made and that no path can name. */
function filesAmong(place: Place, objects: R2Object[]): WorkspaceFile[] {
  return objects.flatMap((object) => {
    const path = object.key.slice(place.prefix.length);
    return object.etag !== DELETION_MARK_ETAG && isPath(path) ? [fileOf(path, object)] : [];
  });
}

function byPath(a: WorkspaceEntry, b: WorkspaceEntry): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
