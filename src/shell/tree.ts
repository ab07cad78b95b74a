/** A file, folder or link of a run. */
export type Entry = FileEntry | FolderEntry | LinkEntry;

export interface FileEntry {
  kind: "file";
  /** Never modified in place; undefined until the file is read. */
  bytes: Uint8Array | undefined;
  /** The stored file that it is; undefined once the run has written to it. */
  stored: StoredFile | undefined;
  mode: number;
  modifiedAt: number;
}

export interface FolderEntry {
  kind: "folder";
  children: Map<string, Entry>;
  mode: number;
  modifiedAt: number;
}

export interface LinkEntry {
  kind: "link";
  target: string;
  modifiedAt: number;
}

/** A file in its store. */
export interface StoredFile {
  /** Its absolute path when it was listed. */
  readonly path: string;
  /** In bytes. */
  size: number;
  /** The version that was listed, or the one that was read later. */
  etag: string;
  /** @throws Error with an errno prefix such as `ENOENT` if it cannot be read */
  read(): Promise<Uint8Array>;
}

/** A path with its links resolved. */
export interface ResolvedPath {
  /** The path without links. */
  path: string;
  name: string;
  /** Undefined for the root. */
  parent: FolderEntry | undefined;
  /** Undefined if nothing exists at the path. */
  entry: Entry | undefined;
}

const MAX_LINKS = 40;

export function newFolder(modifiedAt: number): FolderEntry {
  return { kind: "folder", children: new Map(), mode: 0o755, modifiedAt };
}

export function newFile(bytes: Uint8Array | undefined, stored: StoredFile | undefined, modifiedAt: number): FileEntry {
  return { kind: "file", bytes, stored, mode: 0o644, modifiedAt };
}

/** An absolute path without `.`, `..` and empty segments, in NFC. `..` at the root stays at the root. */
export function normalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.normalize("NFC").split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** Whether a path is a folder or below it. Both must be normal paths. */
export function isWithin(folder: string, path: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** Joins a folder's path and a name. */
export function below(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/**
 * Resolves a path from the root; its last segment, if it is a link, only if `followLast`.
 * @throws Error `ENOTDIR` if a segment is a file, `ELOOP` for too many links
 */
export function resolveEntry(root: FolderEntry, requestedPath: string, followLast: boolean): ResolvedPath {
  let path = normalPath(requestedPath);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const found = walkPath(root, path, followLast);
    if (typeof found !== "string") return found;
    path = found;
  }
  throw new Error(`ELOOP: too many levels of symbolic links, '${requestedPath}'`);
}

/** The entry at a path, or the path to continue with after a link. */
function walkPath(root: FolderEntry, path: string, followLast: boolean): ResolvedPath | string {
  const names = path.split("/").filter((name) => name !== "");
  let located: ResolvedPath = { path: "/", name: "", parent: undefined, entry: root };
  for (const [at, name] of names.entries()) {
    const folder: Entry | undefined = located.entry;
    if (folder !== undefined && folder.kind !== "folder") throw new Error(`ENOTDIR: not a directory, '${path}'`);
    const entry: Entry | undefined = folder?.children.get(name);
    const here: string = below(located.path, name);
    const isLast = at === names.length - 1;
    if (entry?.kind === "link" && (followLast || !isLast)) {
      const target = entry.target.startsWith("/") ? entry.target : `${located.path}/${entry.target}`;
      return normalPath([target, ...names.slice(at + 1)].join("/"));
    }
    located = { path: here, name, parent: folder, entry };
  }
  return located;
}

/** The folder at a normal path. Missing folders are created. */
export function folderAt(root: FolderEntry, path: string, modifiedAt: number): FolderEntry {
  let folder = root;
  for (const name of path.split("/").filter((part) => part !== "")) {
    const there = folder.children.get(name);
    const next = there?.kind === "folder" ? there : newFolder(modifiedAt);
    folder.children.set(name, next);
    folder = next;
  }
  return folder;
}

/** All files, folders and links below a folder, each with its path. */
export function* entriesBelow(folder: FolderEntry, path: string): Generator<[string, Entry]> {
  for (const [name, entry] of folder.children) {
    const here = below(path, name);
    yield [here, entry];
    if (entry.kind === "folder") yield* entriesBelow(entry, here);
  }
}

/** The path of the workspace. */
export const WORKSPACE = "/workspace";

/** Folders that always exist. */
export const FIXED_FOLDERS = ["/bin", "/dev/fd", "/skills", "/tmp", "/usr/bin", WORKSPACE];

export const DEVICES = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/** Read-only folders. Process substitution still creates files in `/dev/fd`. */
export const READ_ONLY = ["/bin", "/dev", "/skills", "/usr/bin"];
const SUBSTITUTED = "/dev/fd";

/** Whether a path may be created, changed or removed. The fixed folders themselves cannot be. */
export function isChangeable(path: string): boolean {
  if (FIXED_FOLDERS.some((folder) => isWithin(path, folder))) return false;
  return isWithin(SUBSTITUTED, path) || !READ_ONLY.some((folder) => isWithin(folder, path));
}

/** @throws Error `EROFS` */
export function checkChangeable(path: string): void {
  if (!isChangeable(path)) throw readOnly("open", path);
}

/** Errors with the errno prefixes that shell programs expect. */
export function missing(verb: string, path: string): Error {
  return new Error(`ENOENT: no such file or directory, ${verb} '${path}'`);
}

export function readOnly(verb: string, path: string): Error {
  return new Error(`EROFS: read-only file system, ${verb} '${path}'`);
}

export function fullDisk(): Error {
  return new Error("ENOSPC: no space left");
}

export function runIsOver(): Error {
  return new Error("EINTR: the run is over");
}

/** Throws in an expression. */
export function fail(error: Error): never {
  throw error;
}
