import { messageOf } from "../lib/errors.ts";
import { MAX_FILE_BYTES } from "../workspace/workspace.ts";
import { fullDisk, missing, runIsOver } from "./file-errors.ts";
import { DEVICES, FOLDERS } from "./fixed-places.ts";
import { fill, type Mount, WORKSPACE } from "./mounts.ts";
import type { RunMemory } from "./run-memory.ts";
import {
  type Entry,
  entriesBelow,
  type FileEntry,
  type FolderEntry,
  folderAt,
  isWithin,
  type Located,
  locate,
  newFile,
  newFolder,
} from "./tree.ts";

/** What a run sees below `/`: mounts are listed when a path leads into them, and files are read when they are needed. */
export class RunTree {
  readonly root: FolderEntry;
  readonly #memory: RunMemory;
  readonly #unlisted: Map<string, Mount>;
  #open = true;

  /** @param commands what is found in `/bin` and `/usr/bin` */
  constructor(mounts: readonly Mount[], commands: readonly string[], memory: RunMemory, now: () => number) {
    this.root = newFolder(now());
    this.#memory = memory;
    this.#unlisted = new Map(mounts.map((mount) => [mount.at, mount]));
    for (const path of [...FOLDERS, ...this.#unlisted.keys()]) folderAt(this.root, path, now());
    for (const path of DEVICES) place(this.root, path, newFile(new Uint8Array(), undefined, now()));
    const stub = new TextEncoder().encode("#!/bin/bash\n# A program of the shell itself.\n");
    for (const name of commands) {
      for (const folder of ["/bin", "/usr/bin"]) {
        place(this.root, `${folder}/${name}`, { ...newFile(stub, undefined, now()), mode: 0o755 });
      }
    }
  }

  /** Nothing can be reached any more. */
  close(): void {
    this.#open = false;
  }

  /** Every file and link of the workspace as it is now; undefined where nobody looked into it. */
  workspace(): [string, Entry][] | undefined {
    if (this.#unlisted.has(WORKSPACE)) return undefined;
    return [...entriesBelow(folderAt(this.root, WORKSPACE, 0), WORKSPACE)].filter(([, { kind }]) => kind !== "folder");
  }

  /** Follows a path, and lists the mount that it leads into. */
  async find(path: string, followLast: boolean): Promise<Located> {
    if (path.includes("\0")) throw new Error(`ENOENT: no such file or directory, '${path.replaceAll("\0", "?")}'`);
    await this.#memory.serve(0);
    if (!this.#open) throw runIsOver();
    for (;;) {
      const located = locate(this.root, path, followLast);
      const mount = [...this.#unlisted.values()].find(({ at }) => at !== located.path && isWithin(at, located.path));
      if (mount === undefined) return located;
      await this.#list(mount);
    }
  }

  /** The same without its last link, and with all that is below it. */
  async findWhole(path: string): Promise<Located> {
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

  /** The bytes of a file, read where nobody did so yet. */
  async load(file: FileEntry): Promise<Uint8Array> {
    const { stored } = file;
    if (file.bytes !== undefined || stored === undefined) return file.bytes ?? new Uint8Array();
    if (stored.size > MAX_FILE_BYTES) {
      this.#memory.stop(`${stored.path} is larger than 10 MiB.`);
      throw new Error("EFBIG: file too large");
    }
    // It is counted before it is read, so that nothing is read that does not fit.
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
    if (this.#unlisted.delete(mount.at)) fill(this.root, files);
  }

  /** Asks a store. Programs take every failure for a file that is not there, so that the run is stopped instead. */
  async #ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#memory.idle(work);
    } catch (thrown) {
      if (!messageOf(thrown).startsWith("ENOENT")) this.#memory.stop(`The file store failed: ${messageOf(thrown)}`);
      throw thrown;
    }
  }
}

function place(root: FolderEntry, path: string, entry: FileEntry): void {
  const slash = path.lastIndexOf("/");
  folderAt(root, path.slice(0, slash), entry.modifiedAt).children.set(path.slice(slash + 1), entry);
}
