import { MAX_FILE_BYTES } from "../workspace/workspace.ts";
import type { RunLimiter } from "./run-limiter.ts";
import type { RunTree } from "./run-tree.ts";
import {
  below,
  checkChangeable,
  type Entry,
  entriesBelow,
  type FolderEntry,
  folderAt,
  fullDisk,
  isChangeable,
  isWithin,
  missing,
  newFile,
  readOnly,
  resolveEntry,
} from "./tree.ts";

/**
 * Changes a run's tree in memory. Writing to a read-only path or over a limit does not throw, because just-bash would
 * discard the output: the first is recorded in `refused`, the second stops the run.
 */
export class TreeChanges {
  readonly #tree: RunTree;
  readonly #memory: RunLimiter;
  readonly #now: () => number;
  readonly #refused = new Set<string>();

  constructor(tree: RunTree, memory: RunLimiter, now: () => number) {
    this.#tree = tree;
    this.#memory = memory;
    this.#now = now;
  }

  /** Read-only paths that the script tried to write to. */
  get refused(): string[] {
    return [...this.#refused];
  }

  /** @param content returns bytes that the tree may keep; not called if nothing is written */
  async write(requestedPath: string, content: () => Uint8Array): Promise<void> {
    const { path, name, entry } = await this.#tree.find(requestedPath, true);
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

  async append(requestedPath: string, more: Uint8Array): Promise<void> {
    const { path, entry } = await this.#tree.find(requestedPath, true);
    const before = entry?.kind === "file" && more.length > 0 ? await this.#tree.load(entry) : new Uint8Array();
    if (entry?.kind === "file" && more.length === 0 && isChangeable(path)) return;
    await this.#memory.serve(before.length);
    await this.write(requestedPath, () => joined(before, more));
  }

  async makeFolder(requestedPath: string, parents: boolean): Promise<void> {
    const { path, parent, entry } = await this.#tree.find(requestedPath, true);
    if (entry !== undefined) {
      if (parents && entry.kind === "folder") return;
      throw new Error(`EEXIST: file already exists, mkdir '${requestedPath}'`);
    }
    checkChangeable(path);
    if (parent === undefined && !parents) throw missing("mkdir", requestedPath);
    this.#create();
    folderAt(this.#tree.root, path, this.#now());
  }

  async remove(requestedPath: string, how: { recursive?: boolean; force?: boolean }): Promise<void> {
    const { path, name, parent, entry } = await this.#tree.findWhole(requestedPath);
    if (entry === undefined) {
      if (how.force) return;
      throw missing("rm", requestedPath);
    }
    if (parent === undefined) throw readOnly("rm", requestedPath);
    checkChangeable(path);
    if (entry.kind === "folder" && entry.children.size > 0 && !how.recursive) {
      throw new Error(`ENOTEMPTY: directory not empty, rm '${requestedPath}'`);
    }
    parent.children.delete(name);
    this.#let(entry);
  }

  async copy(src: string, dest: string, recursive: boolean): Promise<void> {
    const from = await this.#tree.findWhole(src);
    const to = await this.#tree.find(dest, true);
    if (from.entry === undefined) throw missing("cp", src);
    if (from.entry.kind === "folder") {
      if (!recursive) throw new Error(`EISDIR: is a directory, cp '${src}'`);
      if (isWithin(from.path, to.path)) throw new Error(`EINVAL: cannot copy '${src}' into itself, '${dest}'`);
    }
    checkChangeable(to.path);
    this.#copy(from.entry, to.path);
  }

  async move(src: string, dest: string): Promise<void> {
    const from = await this.#tree.findWhole(src);
    const to = await this.#tree.find(dest, false);
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

  async makeLink(target: string, linkPath: string): Promise<void> {
    const { path, name, entry } = await this.#tree.find(linkPath, false);
    if (entry !== undefined) throw new Error(`EEXIST: file already exists, symlink '${linkPath}'`);
    checkChangeable(path);
    this.#create();
    this.#parentOf(path).children.set(name, { kind: "link", target, modifiedAt: this.#now() });
  }

  /** Creates a hard link as a copy: later writes to one name do not change the other. */
  async makeCopy(existingPath: string, newPath: string): Promise<void> {
    const { entry } = await this.#tree.find(existingPath, true);
    if (entry === undefined) throw missing("link", existingPath);
    if (entry.kind !== "file") throw new Error(`EPERM: operation not permitted, link '${existingPath}'`);
    const to = await this.#tree.find(newPath, false);
    if (to.entry !== undefined) throw new Error(`EEXIST: file already exists, link '${newPath}'`);
    checkChangeable(to.path);
    this.#copy(entry, to.path);
  }

  /** An existing entry whose mode or time may be changed. @param verb for the error message */
  async changeable(requestedPath: string, verb: string): Promise<Entry> {
    const { path, entry } = await this.#tree.find(requestedPath, true);
    if (entry === undefined) throw missing(verb, requestedPath);
    checkChangeable(path);
    return entry;
  }

  #create(): void {
    if (!this.#memory.mayCreate()) throw fullDisk();
  }

  /** Copies a file, link or folder to a path, replacing a file there. */
  #copy(entry: Entry, path: string): void {
    const { name, entry: there } = resolveEntry(this.#tree.root, path, false);
    if (entry.kind === "folder") {
      if (there !== undefined && there.kind !== "folder") throw new Error(`ENOTDIR: not a directory, cp '${path}'`);
      this.#create();
      folderAt(this.#tree.root, path, this.#now());
      for (const [child, inner] of [...entry.children]) this.#copy(inner, below(path, child));
      return;
    }
    if (there?.kind === "folder") throw new Error(`EISDIR: is a directory, cp '${path}'`);
    this.#create();
    if (entry.kind === "file" && !this.#memory.mayHold(entry.bytes?.length ?? 0)) throw fullDisk();
    if (there !== undefined) this.#let(there);
    this.#parentOf(path).children.set(name, { ...entry });
  }

  #parentOf(path: string): FolderEntry {
    return folderAt(this.#tree.root, path.slice(0, path.lastIndexOf("/")), this.#now());
  }

  /** Releases the memory of a removed entry and of everything in it. */
  #let(entry: Entry): void {
    const files = entry.kind === "folder" ? [...entriesBelow(entry, "")].map(([, inner]) => inner) : [entry];
    for (const file of files) if (file.kind === "file") this.#memory.release(file.bytes?.length ?? 0);
  }
}

function joined(before: Uint8Array, more: Uint8Array): Uint8Array {
  const whole = new Uint8Array(before.length + more.length);
  whole.set(before);
  whole.set(more, before.length);
  return whole;
}
