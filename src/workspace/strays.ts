import { pathFault } from "../lib/relative-path.ts";
import { listKeys } from "./listing.ts";
import { visible } from "./paths.ts";
import { DELETION_MARK_ETAG, type WorkspacePlace } from "./place.ts";
import { composed } from "./spelling.ts";
import { MAX_PATH_BYTES, type Stray } from "./workspace.ts";

/** Most that are told of. */
const MAX_STRAYS = 100;

/** `Workspace.strays`: one store operation for 1,000 files. */
export async function findStrays(place: WorkspacePlace): Promise<Stray[]> {
  const { objects } = await listKeys(place, "", { prefix: place.prefix });
  const strays: Stray[] = [];
  const names = new Map<string, string>();
  for (const { key, size, etag } of objects) {
    const path = key.slice(place.prefix.length);
    // An empty object with a slash at its end is how some programs make a folder.
    const isFolder = size === 0 && (path === "" || path.endsWith("/"));
    if (isFolder || etag === DELETION_MARK_ETAG) continue;
    const fault = pathFault(path, MAX_PATH_BYTES);
    const why = fault === undefined ? twinOf(path, names) : `It ${fault}, so nobody can open it.`;
    if (why !== undefined) strays.push({ path: visible(path), why });
    if (strays.length === MAX_STRAYS) break;
  }
  return strays;
}

/** A file that is called as another one is, but for how its letters are written. Of AGENTS.md and agents.md one is read. */
function twinOf(path: string, names: Map<string, string>): string | undefined {
  const name = composed(path).toLowerCase();
  const other = names.get(name);
  names.set(name, path);
  return other === undefined ? undefined : `It looks like ${visible(other)}, and is another file.`;
}
