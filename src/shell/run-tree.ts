import { messageOf } from "../lib/errors.ts";
import { pathFault } from "../lib/relative-path.ts";
import { fileLabel, type Label } from "../security/labels.ts";
import {
  MAX_FILE_BYTES,
  MAX_PATH_BYTES,
  type Workspace,
  WorkspaceError,
  type WorkspaceFile,
} from "../workspace/workspace.ts";
import type { RunLimiter } from "./run-limiter.ts";
import {
  DEVICES,
  type Entry,
  entriesBelow,
  FIXED_FOLDERS,
  type FileEntry,
  type FolderEntry,
  folderAt,
  fullDisk,
  isWithin,
  missing,
  newFile,
  newFolder,
  normalPath,
  type ResolvedPath,
  resolveEntry,
  runIsOver,
  type StoredFile,
  WORKSPACE,
} from "./tree.ts";

/**
 * The file tree of a run: a mount is listed when a path first leads into it, and a file is read when it is first
 * needed.
 */
export class RunTree {
  readonly root: FolderEntry;
  readonly #memory: RunLimiter;
  readonly #unlisted: Map<string, Mount>;
  #open = true;

  /** @param commands what is found in `/bin` and `/usr/bin` */
  constructor(mounts: readonly Mount[], commands: readonly string[], memory: RunLimiter, now: () => number) {
    this.root = newFolder(now());
    this.#memory = memory;
    this.#unlisted = new Map(mounts.map((mount) => [mount.at, mount]));
    for (const path of [...FIXED_FOLDERS, ...this.#unlisted.keys()]) folderAt(this.root, path, now());
    for (const path of DEVICES) addFile(this.root, path, newFile(new Uint8Array(), undefined, now()));
    const stub = new TextEncoder().encode("#!/bin/bash\n# A program of the shell itself.\n");
    for (const name of commands) {
      for (const folder of ["/bin", "/usr/bin"]) {
        addFile(this.root, `${folder}/${name}`, { ...newFile(stub, undefined, now()), mode: 0o755 });
      }
    }
  }

  /** Ends all access: later lookups throw. */
  close(): void {
    this.#open = false;
  }

  /** All files and links of the workspace; undefined if the run never accessed it. */
  workspace(): [string, Entry][] | undefined {
    if (this.#unlisted.has(WORKSPACE)) return undefined;
    return [...entriesBelow(folderAt(this.root, WORKSPACE, 0), WORKSPACE)].filter(([, { kind }]) => kind !== "folder");
  }

  /** Resolves a path, and lists the mount that it leads into. */
  async find(path: string, followLast: boolean): Promise<ResolvedPath> {
    if (path.includes("\0")) throw new Error(`ENOENT: no such file or directory, '${path.replaceAll("\0", "?")}'`);
    await this.#memory.serve(0);
    if (!this.#open) throw runIsOver();
    for (;;) {
      const located = resolveEntry(this.root, path, followLast);
      const mount = [...this.#unlisted.values()].find(({ at }) => at !== located.path && isWithin(at, located.path));
      if (mount === undefined) return located;
      await this.#list(mount);
    }
  }

  /** Resolves a path without following its last link, and lists all mounts below it. */
  async findWhole(path: string): Promise<ResolvedPath> {
    const located = await this.find(path, false);
    for (const mount of [...this.#unlisted.values()]) if (isWithin(located.path, mount.at)) await this.#list(mount);
    return located;
  }

  /** A folder with its children. @throws Error `ENOENT` or `ENOTDIR` */
  async folder(path: string): Promise<FolderEntry> {
    const { path: where, entry } = await this.find(path, true);
    if (entry === undefined) throw missing("scandir", path);
    if (entry.kind !== "folder") throw new Error(`ENOTDIR: not a directory, scandir '${path}'`);
    const mount = this.#unlisted.get(where);
    if (mount !== undefined) await this.#list(mount);
    return entry;
  }

  /** The bytes of a file; reads it on first use. */
  async load(file: FileEntry): Promise<Uint8Array> {
    const { stored } = file;
    if (file.bytes !== undefined || stored === undefined) return file.bytes ?? new Uint8Array();
    if (stored.size > MAX_FILE_BYTES) {
      this.#memory.stop(`${stored.path} is larger than 10 MiB.`);
      throw new Error("EFBIG: file too large");
    }
    // Counted before the read, so that a file that does not fit is never read.
    const counted = stored.size;
    if (!this.#memory.mayHold(counted)) throw fullDisk();
    const bytes = await this.#ask(() => stored.read()).catch((thrown) => {
      this.#memory.release(counted);
      throw thrown;
    });
    if (!this.#open) throw runIsOver();
    this.#memory.release(counted);
    if (!this.#memory.mayHold(bytes.length)) throw fullDisk();
    file.bytes = bytes;
    return bytes;
  }

  async #list(mount: Mount): Promise<void> {
    const files = await this.#ask(() => mount.list());
    if (this.#unlisted.delete(mount.at)) addMountedFiles(this.root, files);
  }

  /** Calls a store. Shell programs treat any failure as a missing file, so a failing store stops the run. */
  async #ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#memory.idle(work);
    } catch (thrown) {
      if (!messageOf(thrown).startsWith("ENOENT")) this.#memory.stop(`The file store failed: ${messageOf(thrown)}`);
      throw thrown;
    }
  }
}

function addFile(root: FolderEntry, path: string, entry: FileEntry): void {
  const slash = path.lastIndexOf("/");
  folderAt(root, path.slice(0, slash), entry.modifiedAt).children.set(path.slice(slash + 1), entry);
}

/** A folder whose files are listed when a script first accesses it. */
export interface Mount {
  /** A normal absolute path. */
  readonly at: string;
  /** @throws Error with an errno prefix if the store does not answer */
  list(): Promise<MountedFile[]>;
}

export interface MountedFile {
  stored: StoredFile;
  modifiedAt: number;
}

/** Read-only files for a run, such as those of a skill root. */
export interface ReadOnlyFiles {
  /** The folder, such as `/skills/managed/`. */
  readonly mount: string;
  /** @throws where the store does not answer */
  list(): Promise<readonly { path: string; etag: string; size: number }[]>;
  /** Undefined where it is gone. @throws where the store does not answer */
  read(path: string): Promise<Uint8Array | undefined>;
}

/**
 * Mounts the workspace. A run builds on the version that it read, even if that is newer than the listed one.
 * @param onLabels called with the labels of each labelled file that is read
 */
export function workspaceMount(
  workspace: Pick<Workspace, "walk" | "read">,
  onLabels: (labels: readonly Label[]) => void = () => undefined,
): Mount {
  return {
    at: WORKSPACE,
    async list() {
      const files = await asShellError(() => workspace.walk(""), WORKSPACE);
      return files.map((file) => ({ stored: storedIn(workspace, file, onLabels), modifiedAt: file.modifiedAt }));
    },
  };
}

function storedIn(
  workspace: Pick<Workspace, "read">,
  { path, etag, size }: WorkspaceFile,
  onLabels: (labels: readonly Label[]) => void,
): StoredFile {
  const stored: StoredFile = {
    path: normalPath(`${WORKSPACE}/${path}`),
    size,
    etag,
    async read() {
      const { file, bytes } = await asShellError(() => workspace.read(path), stored.path);
      if (file.labels !== undefined) onLabels([...file.labels.labels, fileLabel(path)]);
      stored.etag = file.etag;
      stored.size = bytes.length;
      return bytes;
    },
  };
  return stored;
}

/** Mounts read-only files. */
export function readOnlyMount(files: ReadOnlyFiles): Mount {
  const at = normalPath(files.mount);
  return {
    at,
    async list() {
      const listed = await asShellError(() => files.list(), at);
      return listed.flatMap(({ path, etag, size }) => {
        if (pathFault(path, MAX_PATH_BYTES) !== undefined) return [];
        const where = normalPath(`${at}/${path}`);
        const read = async () => (await asShellError(() => files.read(path), where)) ?? throwGone(where);
        return [{ stored: { path: where, size, etag, read }, modifiedAt: 0 }];
      });
    },
  };
}

/** Adds the files of a mount to the tree. */
function addMountedFiles(root: FolderEntry, files: readonly MountedFile[]): void {
  for (const { stored, modifiedAt } of files) {
    const slash = stored.path.lastIndexOf("/");
    const { children } = folderAt(root, stored.path.slice(0, slash), modifiedAt);
    // A key that is both a file and a prefix in the store is a folder here.
    if (children.has(stored.path.slice(slash + 1))) continue;
    children.set(stored.path.slice(slash + 1), newFile(undefined, stored, modifiedAt));
  }
}

/** Rethrows store failures as errors with errno prefixes. */
async function asShellError<T>(work: () => Promise<T>, path: string): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return throwGone(path);
    if (thrown instanceof WorkspaceError && thrown.code === "too_large") {
      throw new Error(`EFBIG: file too large, '${path}'`, { cause: thrown });
    }
    throw new Error(`EIO: input/output error, '${path}': ${messageOf(thrown)}`, { cause: thrown });
  }
}

function throwGone(path: string): never {
  throw new Error(`ENOENT: no such file or directory, '${path}' is gone`);
}
