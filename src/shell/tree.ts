/** Something that a run sees at a path. */
export type Entry = FileEntry | FolderEntry | LinkEntry;

export interface FileEntry {
  kind: "file";
  /** Never changed in place; undefined until it is read. */
  bytes: Uint8Array | undefined;
  /** Where its bytes come from, as long as nobody wrote to it. */
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

/** A file as its store has it. */
export interface StoredFile {
  /** The absolute path at which the run found it. */
  readonly path: string;
  /** In bytes. */
  size: number;
  /** The version that the run began from, or has read. */
  etag: string;
  /** @throws Error of a shell's kind where it cannot be read */
  read(): Promise<Uint8Array>;
}

/** Where a path leads, its links followed. */
export interface ResolvedPath {
  /** Without links. */
  path: string;
  name: string;
  /** Undefined for the root. */
  parent: FolderEntry | undefined;
  /** Undefined where nothing is. */
  entry: Entry | undefined;
}

const MAX_LINKS = 40;

export function newFolder(modifiedAt: number): FolderEntry {
  return { kind: "folder", children: new Map(), mode: 0o755, modifiedAt };
}

export function newFile(bytes: Uint8Array | undefined, stored: StoredFile | undefined, modifiedAt: number): FileEntry {
  return { kind: "file", bytes, stored, mode: 0o644, modifiedAt };
}

/** An absolute path without `.`, `..` and empty segments, its accents composed (NFC). Nothing is above the root. */
export function normalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.normalize("NFC").split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** Whether a path is a folder's or below it. Both are normal. */
export function isWithin(folder: string, path: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** The path of something in a folder. */
export function below(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/**
 * Follows a path from the root. Its last link is followed only where that is wanted.
 * @throws Error `ENOTDIR` where it leads through a file, `ELOOP` where links lead nowhere
 */
export function resolveEntry(root: FolderEntry, wanted: string, followLast: boolean): ResolvedPath {
  let path = normalPath(wanted);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const found = walkPath(root, path, followLast);
    if (typeof found !== "string") return found;
    path = found;
  }
  throw new Error(`ELOOP: too many levels of symbolic links, '${wanted}'`);
}

/** What is at a path, or the path that is to be followed instead. */
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

/** The folder at a normal path; it and those above it are made where they are not there. */
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

/** Every file, folder and link below a folder, with its path. */
export function* entriesBelow(folder: FolderEntry, path: string): Generator<[string, Entry]> {
  for (const [name, entry] of folder.children) {
    const here = below(path, name);
    yield [here, entry];
    if (entry.kind === "folder") yield* entriesBelow(entry, here);
  }
}

/** Where the workspace is. */
export const WORKSPACE = "/workspace";

/** Folders that are there without anything in them. */
export const FIXED_FOLDERS = ["/bin", "/dev/fd", "/skills", "/tmp", "/usr/bin", WORKSPACE];

export const DEVICES = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/** Where nothing is changed, but for what process substitution makes. */
export const READ_ONLY = ["/bin", "/dev", "/skills", "/usr/bin"];
const SUBSTITUTED = "/dev/fd";

/** Whether something may be made, changed or removed there. The folders that are always there stay. */
export function isChangeable(path: string): boolean {
  if (FIXED_FOLDERS.some((folder) => isWithin(path, folder))) return false;
  return isWithin(SUBSTITUTED, path) || !READ_ONLY.some((folder) => isWithin(folder, path));
}

/** @throws Error `EROFS` */
export function checkChangeable(path: string): void {
  if (!isChangeable(path)) throw readOnly("open", path);
}

/** Failures as programs of a shell know them. */
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

/** Throws where a value is wanted. */
export function fail(error: Error): never {
  throw error;
}
