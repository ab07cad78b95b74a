import type { IFileSystem } from "just-bash/browser";
import { messageOf } from "../lib/errors.ts";
import { MAX_FILE_BYTES } from "../workspace/workspace.ts";
import { byteString, bytesOf, textOf } from "./file-bytes.ts";
import { fill, type Mount, WORKSPACE } from "./mounts.ts";
import type { RunMemory } from "./run-memory.ts";
import {
  below,
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
  normalPath,
} from "./tree.ts";

/** Folders that are there without anything in them. */
const FOLDERS = ["/bin", "/dev/fd", "/skills", "/tmp", "/usr/bin", WORKSPACE];
const DEVICES = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];
/** Where nothing is changed, but for what process substitution makes. */
const READ_ONLY = ["/bin", "/dev", "/skills", "/usr/bin"];
const SUBSTITUTED = "/dev/fd";

type ByteString = Awaited<ReturnType<NonNullable<IFileSystem["readFileBytes"]>>>;
type Stat = Awaited<ReturnType<IFileSystem["stat"]>>;

/**
 * The files of one run: `/workspace` and what is mounted beside it, listed when they are looked into, read when they are
 * needed, and changed in memory only. Failures are errors as programs of a shell know them, `ENOENT` and so on; but where a file
 * is written nothing is thrown for what is read-only or too much, because just-bash would drop all that was printed: the first is
 * told in `refused`, the second stops the run.
 */
export class RunFiles implements IFileSystem {
  readonly #root: FolderEntry;
  readonly #memory: RunMemory;
  readonly #now: () => number;
  readonly #unlisted: Map<string, Mount>;
  readonly #ids = new WeakMap<Entry, number>();
  readonly #refused = new Set<string>();
  #nextId = 1;
  #open = true;

  /** @param commands what is found in `/bin` and `/usr/bin` */
  constructor(mounts: readonly Mount[], commands: readonly string[], memory: RunMemory, now: () => number) {
    this.#root = newFolder(now());
    this.#memory = memory;
    this.#now = now;
    this.#unlisted = new Map(mounts.map((mount) => [mount.at, mount]));
    for (const path of [...FOLDERS, ...this.#unlisted.keys()]) folderAt(this.#root, path, now());
    for (const path of DEVICES) this.#place(path, new Uint8Array());
    const stub = new TextEncoder().encode("#!/bin/bash\n# A program of the shell itself.\n");
    for (const name of commands) {
      this.#place(`/bin/${name}`, stub, 0o755);
      this.#place(`/usr/bin/${name}`, stub, 0o755);
    }
  }

  /** Nothing can be read or changed any more. */
  close(): void {
    this.#open = false;
  }

  /** Paths that something was written to in vain. */
  get refused(): string[] {
    return [...this.#refused];
  }

  /** Every file and link of the workspace as it is now; undefined where nobody looked into it. */
  workspace(): [string, Entry][] | undefined {
    if (this.#unlisted.has(WORKSPACE)) return undefined;
    return [...entriesBelow(folderAt(this.#root, WORKSPACE, 0), WORKSPACE)].filter(([, { kind }]) => kind !== "folder");
  }

  /** Files that are neither in the workspace nor where one would expect them to be gone. */
  strays(): string[] {
    const elsewhere = (path: string) => ![WORKSPACE, "/tmp", ...READ_ONLY].some((folder) => isWithin(folder, path));
    return [...entriesBelow(this.#root, "/")].flatMap(([path, { kind }]) =>
      kind === "file" && elsewhere(path) ? [path] : [],
    );
  }

  async readFile(path: string, options?: Parameters<IFileSystem["readFile"]>[1]): Promise<string> {
    return textOf(await this.readFileBuffer(path), options);
  }

  async readFileBytes(path: string): Promise<ByteString> {
    // The type is opaque, and nothing that just-bash exports makes one.
    return byteString(await this.readFileBuffer(path)) as unknown as ByteString;
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const { entry } = await this.#find(path, true);
    if (entry === undefined) throw missing("open", path);
    if (entry.kind !== "file") throw new Error(`EISDIR: illegal operation on a directory, read '${path}'`);
    const bytes = await this.#load(entry);
    await this.#memory.serve(bytes.length);
    return bytes;
  }

  async writeFile(
    path: string,
    content: Parameters<IFileSystem["writeFile"]>[1],
    options?: Parameters<IFileSystem["writeFile"]>[2],
  ): Promise<void> {
    this.#write(await this.#find(path, true), () => bytesOf(content, options));
  }

  async appendFile(
    path: string,
    content: Parameters<IFileSystem["writeFile"]>[1],
    options?: Parameters<IFileSystem["writeFile"]>[2],
  ): Promise<void> {
    const located = await this.#find(path, true);
    const before =
      located.entry?.kind === "file" && content.length > 0 ? await this.#load(located.entry) : new Uint8Array();
    if (located.entry?.kind === "file" && content.length === 0 && isChangeable(located.path)) return;
    await this.#memory.serve(before.length);
    this.#write(located, () => joined(before, bytesOf(content, options)));
  }

  async exists(path: string): Promise<boolean> {
    try {
      return (await this.#find(path, true)).entry !== undefined;
    } catch {
      return false;
    }
  }

  async stat(path: string): Promise<Stat> {
    return this.#describe((await this.#find(path, true)).entry ?? fail(missing("stat", path)));
  }

  async lstat(path: string): Promise<Stat> {
    return this.#describe((await this.#find(path, false)).entry ?? fail(missing("lstat", path)));
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    const located = await this.#find(path, true);
    if (located.entry !== undefined) {
      if (options?.recursive && located.entry.kind === "folder") return;
      throw new Error(`EEXIST: file already exists, mkdir '${path}'`);
    }
    checkChangeable(located.path);
    if (located.parent === undefined && !options?.recursive) throw missing("mkdir", path);
    this.#create();
    folderAt(this.#root, located.path, this.#now());
  }

  async readdir(path: string): Promise<string[]> {
    return [...(await this.#folder(path)).children.keys()].sort();
  }

  async readdirWithFileTypes(
    path: string,
  ): Promise<{ name: string; isFile: boolean; isDirectory: boolean; isSymbolicLink: boolean }[]> {
    const { children } = await this.#folder(path);
    return [...children.keys()].sort().map((name) => {
      const kind = children.get(name)?.kind;
      return { name, isFile: kind === "file", isDirectory: kind === "folder", isSymbolicLink: kind === "link" };
    });
  }

  async rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    const { path: where, name, parent, entry } = await this.#findWhole(path);
    if (entry === undefined) {
      if (options?.force) return;
      throw missing("rm", path);
    }
    if (parent === undefined) throw readOnly("rm", path);
    checkChangeable(where);
    if (entry.kind === "folder" && entry.children.size > 0 && !options?.recursive) {
      throw new Error(`ENOTEMPTY: directory not empty, rm '${path}'`);
    }
    parent.children.delete(name);
    this.#let(entry);
  }

  async cp(src: string, dest: string, options?: { recursive?: boolean }): Promise<void> {
    const from = await this.#findWhole(src);
    const to = await this.#find(dest, true);
    if (from.entry === undefined) throw missing("cp", src);
    if (from.entry.kind === "folder") {
      if (!options?.recursive) throw new Error(`EISDIR: is a directory, cp '${src}'`);
      if (isWithin(from.path, to.path)) throw new Error(`EINVAL: cannot copy '${src}' into itself, '${dest}'`);
    }
    checkChangeable(to.path);
    this.#copy(from.entry, to.path);
  }

  async mv(src: string, dest: string): Promise<void> {
    const from = await this.#findWhole(src);
    const to = await this.#find(dest, false);
    if (from.entry === undefined) throw missing("mv", src);
    if (from.path === to.path) return;
    if (from.parent === undefined) throw readOnly("mv", src);
    checkChangeable(from.path);
    if (isWithin(from.path, to.path)) throw new Error(`EINVAL: cannot move '${src}' into itself, '${dest}'`);
    checkChangeable(to.path);
    if (to.entry?.kind === "folder") {
      if (from.entry.kind !== "folder") throw new Error(`EISDIR: is a directory, mv '${dest}'`);
      if (to.entry.children.size > 0) throw new Error(`ENOTEMPTY: directory not empty, mv '${dest}'`);
    }
    if (to.entry !== undefined) this.#let(to.entry);
    from.parent.children.delete(from.name);
    this.#parentOf(to.path).children.set(to.name, from.entry);
  }

  resolvePath(base: string, path: string): string {
    return normalPath(path.startsWith("/") ? path : `${base}/${path}`);
  }

  /** Only `ls` asks for it, for patterns that the shell has tried already and that fit nothing. */
  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string, mode: number): Promise<void> {
    const { path: where, entry } = await this.#find(path, true);
    if (entry === undefined) throw missing("chmod", path);
    checkChangeable(where);
    if (entry.kind !== "link") entry.mode = mode;
  }

  async symlink(target: string, linkPath: string): Promise<void> {
    const { path, name, entry } = await this.#find(linkPath, false);
    if (entry !== undefined) throw new Error(`EEXIST: file already exists, symlink '${linkPath}'`);
    checkChangeable(path);
    this.#create();
    this.#parentOf(path).children.set(name, { kind: "link", target, modifiedAt: this.#now() });
  }

  /** A copy: what is written to one of two names does not show in the other. */
  async link(existingPath: string, newPath: string): Promise<void> {
    const { entry } = await this.#find(existingPath, true);
    if (entry === undefined) throw missing("link", existingPath);
    if (entry.kind !== "file") throw new Error(`EPERM: operation not permitted, link '${existingPath}'`);
    const to = await this.#find(newPath, false);
    if (to.entry !== undefined) throw new Error(`EEXIST: file already exists, link '${newPath}'`);
    checkChangeable(to.path);
    this.#copy(entry, to.path);
  }

  async readlink(path: string): Promise<string> {
    const { entry } = await this.#find(path, false);
    if (entry === undefined) throw missing("readlink", path);
    if (entry.kind !== "link") throw new Error(`EINVAL: invalid argument, readlink '${path}'`);
    return entry.target;
  }

  async realpath(path: string): Promise<string> {
    const located = await this.#find(path, true);
    if (located.entry === undefined) throw missing("realpath", path);
    return located.path;
  }

  async utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    const { path: where, entry } = await this.#find(path, true);
    if (entry === undefined) throw missing("utimes", path);
    checkChangeable(where);
    entry.modifiedAt = mtime.getTime();
  }

  /** Follows a path, and lists the mount that it leads into. */
  async #find(path: string, followLast: boolean): Promise<Located> {
    await this.#begin(path);
    for (;;) {
      const located = locate(this.#root, path, followLast);
      const mount = [...this.#unlisted.values()].find(({ at }) => at !== located.path && isWithin(at, located.path));
      if (mount === undefined) return located;
      await this.#list(mount);
    }
  }

  /** The same without its last link, and with all that is below it. */
  async #findWhole(path: string): Promise<Located> {
    const located = await this.#find(path, false);
    for (const mount of [...this.#unlisted.values()]) if (isWithin(located.path, mount.at)) await this.#list(mount);
    return located;
  }

  async #folder(path: string): Promise<FolderEntry> {
    const { path: where, entry } = await this.#find(path, true);
    if (entry === undefined) throw missing("scandir", path);
    if (entry.kind !== "folder") throw new Error(`ENOTDIR: not a directory, scandir '${path}'`);
    const mount = this.#unlisted.get(where);
    if (mount !== undefined) await this.#list(mount);
    return entry;
  }

  async #begin(path: string): Promise<void> {
    if (path.includes("\0")) throw new Error(`ENOENT: no such file or directory, '${path.replaceAll("\0", "?")}'`);
    await this.#memory.serve(0);
    if (!this.#open) throw new Error("EINTR: the run is over");
  }

  async #list(mount: Mount): Promise<void> {
    const files = await this.#ask(() => mount.list());
    if (this.#unlisted.delete(mount.at)) fill(this.#root, files);
  }

  async #load(file: FileEntry): Promise<Uint8Array> {
    const { stored } = file;
    if (file.bytes !== undefined || stored === undefined) return file.bytes ?? new Uint8Array();
    if (stored.size > MAX_FILE_BYTES) this.#over(`${stored.path} is larger than 10 MiB.`);
    // It is counted before it is read, so that nothing is read that does not fit.
    const counted = stored.size;
    if (!this.#memory.mayHold(counted)) throw new Error("ENOSPC: no space left");
    const bytes = await this.#ask(() => stored.read()).catch((thrown) => {
      this.#memory.release(counted);
      throw thrown;
    });
    if (!this.#open) throw new Error("EINTR: the run is over");
    this.#memory.release(counted);
    if (!this.#memory.mayHold(bytes.length)) throw new Error("ENOSPC: no space left");
    file.bytes = bytes;
    return bytes;
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

  #create(): void {
    if (!this.#memory.mayCreate()) throw new Error("ENOSPC: no space left");
  }

  #over(why: string): never {
    this.#memory.stop(why);
    throw new Error("EFBIG: file too large");
  }

  #write({ path, name, entry }: Located, content: () => Uint8Array): void {
    if (path === "/dev/null") return;
    if (!isChangeable(path)) {
      this.#refused.add(path);
      return;
    }
    if (entry?.kind === "folder") throw new Error(`EISDIR: illegal operation on a directory, open '${path}'`);
    const bytes = content();
    const before = entry?.kind === "file" ? (entry.bytes?.length ?? 0) : 0;
    if (bytes.length > MAX_FILE_BYTES) {
      this.#memory.stop("It wrote a file of more than 10 MiB.");
      return;
    }
    if (!this.#memory.mayHold(bytes.length - before) || (entry === undefined && !this.#memory.mayCreate())) return;
    const file = newFile(bytes, undefined, this.#now());
    if (entry?.kind === "file") Object.assign(entry, { ...file, mode: entry.mode });
    else this.#parentOf(path).children.set(name, file);
  }

  /** Copies a file, link or folder to a path, over a file that is there. */
  #copy(entry: Entry, path: string): void {
    const { name, entry: there } = locate(this.#root, path, false);
    if (entry.kind === "folder") {
      if (there !== undefined && there.kind !== "folder") throw new Error(`ENOTDIR: not a directory, cp '${path}'`);
      this.#create();
      folderAt(this.#root, path, this.#now());
      for (const [child, inner] of [...entry.children]) this.#copy(inner, below(path, child));
      return;
    }
    if (there?.kind === "folder") throw new Error(`EISDIR: is a directory, cp '${path}'`);
    this.#create();
    if (entry.kind === "file" && !this.#memory.mayHold(entry.bytes?.length ?? 0))
      throw new Error("ENOSPC: no space left");
    if (there !== undefined) this.#let(there);
    this.#parentOf(path).children.set(name, { ...entry });
  }

  #parentOf(path: string): FolderEntry {
    return folderAt(this.#root, path.slice(0, path.lastIndexOf("/")), this.#now());
  }

  /** Something is gone from the tree, with all that is in it. */
  #let(entry: Entry): void {
    if (entry.kind === "file") this.#memory.release(entry.bytes?.length ?? 0);
    if (entry.kind !== "folder") return;
    for (const [, inner] of entriesBelow(entry, "")) {
      if (inner.kind === "file") this.#memory.release(inner.bytes?.length ?? 0);
    }
  }

  #place(path: string, bytes: Uint8Array, mode = 0o644): void {
    const file = { ...newFile(bytes, undefined, this.#now()), mode };
    this.#parentOf(path).children.set(path.slice(path.lastIndexOf("/") + 1), file);
  }

  #describe(entry: Entry): Stat {
    const id = this.#ids.get(entry) ?? this.#nextId++;
    this.#ids.set(entry, id);
    return {
      isFile: entry.kind === "file",
      isDirectory: entry.kind === "folder",
      isSymbolicLink: entry.kind === "link",
      mode: entry.kind === "link" ? 0o777 : entry.mode,
      size: sizeOf(entry),
      mtime: new Date(entry.modifiedAt),
      identity: `run:${id}`,
    };
  }
}

function sizeOf(entry: Entry): number {
  if (entry.kind === "file") return entry.bytes?.length ?? entry.stored?.size ?? 0;
  return entry.kind === "link" ? entry.target.length : 0;
}

/** @throws Error `EROFS` */
function checkChangeable(path: string): void {
  if (!isChangeable(path)) throw readOnly("open", path);
}

/** Whether something may be made, changed or removed there. The folders that are always there stay. */
function isChangeable(path: string): boolean {
  if (FOLDERS.some((folder) => isWithin(path, folder))) return false;
  return isWithin(SUBSTITUTED, path) || !READ_ONLY.some((folder) => isWithin(folder, path));
}

function joined(before: Uint8Array, more: Uint8Array): Uint8Array {
  const whole = new Uint8Array(before.length + more.length);
  whole.set(before);
  whole.set(more, before.length);
  return whole;
}

function missing(verb: string, path: string): Error {
  return new Error(`ENOENT: no such file or directory, ${verb} '${path}'`);
}

function readOnly(verb: string, path: string): Error {
  return new Error(`EROFS: read-only file system, ${verb} '${path}'`);
}

function fail(error: Error): never {
  throw error;
}
