import type { ResolvedCommandContext } from "just-bash/browser";
import { contentBytes } from "./file-bytes.ts";
import { MAX_ARCHIVE_ENTRIES, MAX_UNPACKED_BYTES } from "./limits.ts";

type Context = Pick<ResolvedCommandContext, "fs" | "cwd">;

/** A file or an empty folder of an archive. */
export interface ArchiveEntry {
  /** Relative, separated by `/`. */
  name: string;
  /** Undefined for a folder. */
  bytes?: Uint8Array;
  mode: number;
  modifiedAt: Date;
}

/** Counts what an archive holds. */
export class ArchiveBounds {
  #bytes = 0;
  #entries = 0;

  /** @throws Error if there is too much of it */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.#entries++;
    if (this.#bytes > MAX_UNPACKED_BYTES) throw new Error(`it holds more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB`);
    if (this.#entries > MAX_ARCHIVE_ENTRIES) throw new Error(`it holds more than ${MAX_ARCHIVE_ENTRIES} files`);
  }
}

/** The files below the given paths, with folders. Links are followed by their name only: they are left out. @throws Error */
export async function filesBelow(paths: readonly string[], { fs, cwd }: Context): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const bounds = new ArchiveBounds();
  const add = async (name: string): Promise<void> => {
    const path = fs.resolvePath(cwd, name);
    const { isDirectory, isSymbolicLink, size, mode, mtime } = await fs.lstat(path);
    if (isSymbolicLink) return;
    bounds.add(isDirectory ? 0 : size);
    const entry = { name: archiveName(name), mode: mode & 0o777, modifiedAt: mtime };
    if (!isDirectory) {
      entries.push({ ...entry, bytes: await fs.readFileBuffer(path) });
      return;
    }
    if (entry.name !== "") entries.push(entry);
    for (const child of await fs.readdir(path)) await add(`${name.replace(/\/+$/, "")}/${child}`);
  };
  for (const path of paths) await add(path);
  return entries;
}

/** A path without what would lead elsewhere when it is unpacked. */
function archiveName(path: string): string {
  return path
    .split("/")
    .filter((segment) => segment !== "" && segment !== "." && segment !== "..")
    .join("/");
}

/**
 * Writes an entry below a folder.
 * @returns why it was not written; undefined if it was
 * @throws Error of the file system
 */
export async function unpackEntry(
  { name, bytes, mode }: Pick<ArchiveEntry, "name" | "bytes" | "mode">,
  folder: string,
  { fs }: Context,
): Promise<string | undefined> {
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (name.startsWith("/") || segments.includes("..")) return `${name}: it leads out of the folder, and is left out`;
  const path = `${folder}/${segments.join("/")}`;
  if (bytes === undefined) {
    await fs.mkdir(path, { recursive: true });
    return undefined;
  }
  await fs.mkdir(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
  await fs.writeFile(path, bytes);
  if ((mode & 0o111) !== 0) await fs.chmod(path, mode & 0o777);
  return undefined;
}

/** Reads a file, or stdin where the name is `-` or absent. @throws Error of the file system */
export async function readInput(name: string | undefined, context: ResolvedCommandContext): Promise<Uint8Array> {
  if (name === undefined || name === "-") return contentBytes(String(context.stdin), "latin1");
  return context.fs.readFileBuffer(context.fs.resolvePath(context.cwd, name));
}

/** What a program ends with. */
export function ended(stdout: string, problems: readonly string[] = [], exitCode = problems.length > 0 ? 2 : 0) {
  return { stdout, stderr: problems.map((problem) => `${problem}\n`).join(""), exitCode };
}
