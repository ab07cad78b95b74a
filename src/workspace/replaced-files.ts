import { type FileStore, fileAt } from "./file-store.ts";
import { spellingFor } from "./spelling.ts";
import { newestFirst, pathOfVersion, versionFromObject, versionsFolder } from "./versions.ts";
import type { ReplacedFile, ReplacedFiles } from "./workspace.ts";

/** Most files per answer, and most R2 pages read for it. */
const MAX_FILES = 100;
const MAX_PAGES = 20;

/**
 * Files with earlier versions by path, after `after`: how many, the newest, and whether the file is deleted. One store
 * operation per 1,000 versions, and one per file.
 */
export async function listReplaced(store: FileStore, after: string | undefined): Promise<ReplacedFiles> {
  const { groups, isWhole } = await versionsByFile(store, after);
  const found = [...groups];
  // The last file may have more versions on an unread page.
  const complete = isWhole || found.length === 1 ? found : found.slice(0, -1);
  const shown = complete.slice(0, MAX_FILES);
  const files = await Promise.all(shown.map(([, objects]) => replacedFile(store, objects)));
  const next = isWhole && shown.length === found.length ? undefined : shown.at(-1)?.[0];
  return { files: files.filter((file) => file !== undefined), ...(next !== undefined && { next }) };
}

/** Versions grouped by their file's key segment. */
async function versionsByFile(
  store: FileStore,
  after: string | undefined,
): Promise<{ groups: Map<string, R2Object[]>; isWhole: boolean }> {
  const prefix = versionsFolder(store.agentId);
  const groups = new Map<string, R2Object[]>();
  // `0` follows `/` in order, so it sorts after all versions of that file.
  let options: R2ListOptions = after === undefined ? { prefix } : { prefix, startAfter: `${prefix}${after}0` };
  for (let pages = 0; pages < MAX_PAGES && groups.size <= MAX_FILES; pages++) {
    const page = await store.attempt("", () => store.bucket.list({ ...options, include: ["customMetadata"] }));
    for (const object of page.objects) {
      const end = object.key.indexOf("/", prefix.length);
      if (end === -1) continue;
      const segment = object.key.slice(prefix.length, end);
      const group = groups.get(segment) ?? [];
      group.push(object);
      groups.set(segment, group);
    }
    if (!page.truncated) return { groups, isWhole: true };
    options = { prefix, cursor: page.cursor };
  }
  return { groups, isWhole: false };
}

/** Undefined for versions without a path. */
async function replacedFile(store: FileStore, objects: readonly R2Object[]): Promise<ReplacedFile | undefined> {
  const versions = objects.map(versionFromObject).sort(newestFirst);
  const [newest] = versions;
  const [first] = objects;
  const path = first && pathOfVersion(store.agentId, first);
  if (path === undefined || newest === undefined) return undefined;
  const isThere = (await fileAt(store, await spellingFor(store, path))) !== undefined;
  return { path, deleted: !isThere, versions: versions.length, newest };
}
