import type { IFileSystem } from "just-bash/browser";
import { byteString, contentBytes, decodeBytes } from "./file-bytes.ts";
import type { RunLimiter } from "./run-limiter.ts";
import { type Mount, RunTree } from "./run-tree.ts";
import { type Entry, entriesBelow, fail, isWithin, missing, normalPath, READ_ONLY, WORKSPACE } from "./tree.ts";
import { TreeChanges } from "./tree-changes.ts";

type ByteString = Awaited<ReturnType<NonNullable<IFileSystem["readFileBytes"]>>>;
type Stat = Awaited<ReturnType<IFileSystem["stat"]>>;
type Content = Parameters<IFileSystem["writeFile"]>[1];
type WriteOptions = Parameters<IFileSystem["writeFile"]>[2];

/**
 * The file system of one run for just-bash: `/workspace` and the mounts beside it. Errors have errno prefixes such as
 * `ENOENT`.
 *
 * just-bash's own `InMemoryFs` and `MountableFs` do not serve: `stat` loads lazy files, links are not followed on
 * writes or between mounts, and their changes cannot be inspected.
 */
export class RunFiles implements IFileSystem {
  readonly #tree: RunTree;
  readonly #changes: TreeChanges;
  readonly #memory: RunLimiter;
  readonly #ids = new WeakMap<Entry, number>();
  #nextId = 1;

  /** @param commands what is found in `/bin` and `/usr/bin` */
  constructor(mounts: readonly Mount[], commands: readonly string[], memory: RunLimiter, now: () => number) {
    this.#tree = new RunTree(mounts, commands, memory, now);
    this.#changes = new TreeChanges(this.#tree, memory, now);
    this.#memory = memory;
  }

  /** Ends all access: later reads and writes throw. */
  close(): void {
    this.#tree.close();
  }

  /** Read-only paths that the script tried to write to. */
  get refused(): string[] {
    return this.#changes.refused;
  }

  /** All files and links of the workspace; undefined if the script never accessed it. */
  workspace(): [string, Entry][] | undefined {
    return this.#tree.workspace();
  }

  /** Files that were written outside `/workspace` and `/tmp`, and so are not kept. */
  strays(): string[] {
    const elsewhere = (path: string) => ![WORKSPACE, "/tmp", ...READ_ONLY].some((folder) => isWithin(folder, path));
    return [...entriesBelow(this.#tree.root, "/")].flatMap(([path, { kind }]) =>
      kind === "file" && elsewhere(path) ? [path] : [],
    );
  }

  async readFile(path: string, options?: Parameters<IFileSystem["readFile"]>[1]): Promise<string> {
    return decodeBytes(await this.readFileBuffer(path), options);
  }

  async readFileBytes(path: string): Promise<ByteString> {
    // `ByteString` is an opaque type, and just-bash exports no constructor for it.
    return byteString(await this.readFileBuffer(path)) as unknown as ByteString;
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const { entry } = await this.#tree.find(path, true);
    if (entry === undefined) throw missing("open", path);
    if (entry.kind !== "file") throw new Error(`EISDIR: illegal operation on a directory, read '${path}'`);
    const bytes = await this.#tree.load(entry);
    await this.#memory.serve(bytes.length);
    return bytes;
  }

  async exists(path: string): Promise<boolean> {
    try {
      return (await this.#tree.find(path, true)).entry !== undefined;
    } catch {
      return false;
    }
  }

  async stat(path: string): Promise<Stat> {
    return this.#describe((await this.#tree.find(path, true)).entry ?? fail(missing("stat", path)));
  }

  async lstat(path: string): Promise<Stat> {
    return this.#describe((await this.#tree.find(path, false)).entry ?? fail(missing("lstat", path)));
  }

  async readdir(path: string): Promise<string[]> {
    return [...(await this.#tree.folder(path)).children.keys()].sort();
  }

  async readdirWithFileTypes(
    path: string,
  ): Promise<{ name: string; isFile: boolean; isDirectory: boolean; isSymbolicLink: boolean }[]> {
    const { children } = await this.#tree.folder(path);
    return [...children.keys()].sort().map((name) => {
      const kind = children.get(name)?.kind;
      return { name, isFile: kind === "file", isDirectory: kind === "folder", isSymbolicLink: kind === "link" };
    });
  }

  async readlink(path: string): Promise<string> {
    const { entry } = await this.#tree.find(path, false);
    if (entry === undefined) throw missing("readlink", path);
    if (entry.kind !== "link") throw new Error(`EINVAL: invalid argument, readlink '${path}'`);
    return entry.target;
  }

  async realpath(path: string): Promise<string> {
    const located = await this.#tree.find(path, true);
    if (located.entry === undefined) throw missing("realpath", path);
    return located.path;
  }

  resolvePath(base: string, path: string): string {
    return normalPath(path.startsWith("/") ? path : `${base}/${path}`);
  }

  /** Empty: only `ls` calls it, for patterns that the shell has already failed to match. */
  getAllPaths(): string[] {
    return [];
  }

  writeFile(path: string, content: Content, options?: WriteOptions): Promise<void> {
    return this.#changes.write(path, () => contentBytes(content, options));
  }

  appendFile(path: string, content: Content, options?: WriteOptions): Promise<void> {
    return this.#changes.append(path, contentBytes(content, options));
  }

  mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    return this.#changes.makeFolder(path, options?.recursive ?? false);
  }

  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    return this.#changes.remove(path, options ?? {});
  }

  cp(src: string, dest: string, options?: { recursive?: boolean }): Promise<void> {
    return this.#changes.copy(src, dest, options?.recursive ?? false);
  }

  mv(src: string, dest: string): Promise<void> {
    return this.#changes.move(src, dest);
  }

  symlink(target: string, linkPath: string): Promise<void> {
    return this.#changes.makeLink(target, linkPath);
  }

  link(existingPath: string, newPath: string): Promise<void> {
    return this.#changes.makeCopy(existingPath, newPath);
  }

  async chmod(path: string, mode: number): Promise<void> {
    const entry = await this.#changes.changeable(path, "chmod");
    if (entry.kind !== "link") entry.mode = mode;
  }

  async utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    (await this.#changes.changeable(path, "utimes")).modifiedAt = mtime.getTime();
  }

  #describe(entry: Entry): Stat {
    const id = this.#ids.get(entry) ?? this.#nextId++;
    this.#ids.set(entry, id);
    return {
      isFile: entry.kind === "file",
      isDirectory: entry.kind === "folder",
      isSymbolicLink: entry.kind === "link",
      mode: entry.kind === "link" ? 0o777 : entry.mode,
      size: entrySize(entry),
      mtime: new Date(entry.modifiedAt),
      identity: `run:${id}`,
    };
  }
}

function entrySize(entry: Entry): number {
  if (entry.kind === "file") return entry.bytes?.length ?? entry.stored?.size ?? 0;
  return entry.kind === "link" ? entry.target.length : 0;
}
