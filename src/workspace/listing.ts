import { log } from "../lib/log.ts";
import { pathFault } from "../lib/relative-path.ts";
import { DELETION_MARK_ETAG, type FileStore, fileFromObject } from "./file-store.ts";
import { isPath, visible } from "./paths.ts";
import { composed, folderSpellings } from "./spelling.ts";
import { MAX_PATH_BYTES, MAX_WALKED, type Stray, type WorkspaceEntry, type WorkspaceFile } from "./workspace.ts";

/** R2's page size. */
const PAGE_KEYS = 1000;
const MAX_PAGES = MAX_WALKED / PAGE_KEYS;

/** The files and folders directly in a folder, by path. One store operation for 1,000 entries. */
export async function listFolder(store: FileStore, folder: string): Promise<WorkspaceEntry[]> {
  const { objects, folders } = await listSpellings(store, folder, "/");
  const files: WorkspaceEntry[] = filesAmong(store, objects);
  for (const key of folders) {
    const path = key.slice(store.prefix.length, -1);
    if (isPath(path)) files.push({ kind: "folder", path });
  }
  return files.sort(byPath);
}

/** The files below a folder by path, up to the listing limit. */
export async function walkFolder(store: FileStore, folder: string): Promise<WorkspaceFile[]> {
  const { objects } = await listSpellings(store, folder);
  return filesAmong(store, objects).sort(byPath);
}

/** The result of an R2 listing. */
export interface R2Listing {
  objects: R2Object[];
  folders: string[];
}

/** All pages of an R2 listing, 20 at most; a cut is logged. @throws WorkspaceError `unavailable` */
export async function listKeys(
  store: Pick<FileStore, "bucket" | "attempt">,
  path: string,
  query: Omit<R2ListOptions, "cursor">,
): Promise<R2Listing> {
  const found: R2Listing = { objects: [], folders: [] };
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const options: R2ListOptions = cursor === undefined ? query : { ...query, cursor };
    const page = await store.attempt(path, () => store.bucket.list(options));
    found.objects.push(...page.objects);
    found.folders.push(...page.delimitedPrefixes);
    if (!page.truncated) return found;
    cursor = page.cursor;
  }
  log("warn", "workspace.listing_cut", { key: query.prefix ?? "", count: found.objects.length + found.folders.length });
  return found;
}

/** Lists a folder in each Unicode normalization: two operations if the forms differ. */
async function listSpellings(store: FileStore, folder: string, delimiter?: string): Promise<R2Listing> {
  const found = await Promise.all(
    folderSpellings(folder).map((spelt) => {
      const prefix = spelt === "" ? store.prefix : `${store.prefix}${spelt}/`;
      const include: ["customMetadata"] = ["customMetadata"];
      return listKeys(store, folder, { prefix, include, ...(delimiter !== undefined && { delimiter }) });
    }),
  );
  return {
    objects: found.flatMap(({ objects }) => objects),
    folders: found.flatMap(({ folders }) => folders),
  };
}

/** Leaves out deletion marks, and keys of other programs that are not valid paths. */
function filesAmong(store: FileStore, objects: R2Object[]): WorkspaceFile[] {
  return objects.flatMap((object) => {
    const path = object.key.slice(store.prefix.length);
    return object.etag !== DELETION_MARK_ETAG && isPath(path) ? [fileFromObject(path, object)] : [];
  });
}

function byPath(a: WorkspaceEntry, b: WorkspaceEntry): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** Most strays in an answer. */
const MAX_STRAYS = 100;

/** `Workspace.strays`: one store operation for 1,000 files. */
export async function findStrays(store: FileStore): Promise<Stray[]> {
  const { objects } = await listKeys(store, "", { prefix: store.prefix });
  const strays: Stray[] = [];
  const names = new Map<string, string>();
  for (const { key, size, etag } of objects) {
    const path = key.slice(store.prefix.length);
    // An empty object whose key ends with a slash is how some programs create a folder.
    const isFolder = size === 0 && (path === "" || path.endsWith("/"));
    if (isFolder || etag === DELETION_MARK_ETAG) continue;
    const fault = pathFault(path, MAX_PATH_BYTES);
    const why = fault === undefined ? lookAlikeWarning(path, names) : `It ${fault}, so it cannot be opened.`;
    if (why !== undefined) strays.push({ path: visible(path), why });
    if (strays.length === MAX_STRAYS) break;
  }
  return strays;
}

/**
 * Warns of two files whose names differ only in case or Unicode normalization. Of AGENTS.md and agents.md only one is
 * read.
 */
function lookAlikeWarning(path: string, names: Map<string, string>): string | undefined {
  const name = composed(path).toLowerCase();
  const other = names.get(name);
  names.set(name, path);
  return other === undefined ? undefined : `It looks like ${visible(other)}, but is another file.`;
}
