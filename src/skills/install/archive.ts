import { pathFault } from "../../lib/relative-path.ts";
import { MAX_ARCHIVE_BYTES, MAX_ENTRY_PATH_BYTES, quotedName, refused } from "./refusal.ts";
import { readTarGz } from "./tar.ts";
import { type ArchivedFile, readZip } from "./zip.ts";

/** Files of operating systems and tools that no skill needs. */
const LEFT_BEHIND = /(?:^|\/)(?:__MACOSX|\.git)(?:\/|$)|(?:^|\/)(?:\.DS_Store|Thumbs\.db|\._[^/]+)$/;
const DRIVE_LETTER = /^[A-Za-z]:/;
const MAX_DEPTH = 20;

/** A file of a package. Its path is relative, in NFC, and valid in a workspace. */
export interface PackageFile {
  path: string;
  bytes: Uint8Array;
}

/** The files of an archive, and notes about it. */
export interface UnpackedArchive {
  files: PackageFile[];
  /** Sentences. */
  notes: string[];
}

/**
 * Unpacks a `.zip` or `.tar.gz` in memory, within the limits of `refusal.ts`. Nested archives are not unpacked. The
 * format is detected by the first bytes, not by names or content types.
 * @throws IsopodError naming the offending entry
 */
export async function unpackArchive(archive: Uint8Array): Promise<UnpackedArchive> {
  if (archive.length > MAX_ARCHIVE_BYTES) {
    const message = `The archive has ${archive.length} bytes, and ${MAX_ARCHIVE_BYTES} are the most.`;
    throw refused("too_large", message, "Leave out what the skill does not need.", "payload_too_large");
  }
  const paths = new EntryPaths();
  const archived = await readArchive(archive, (name) => paths.take(name));
  return { files: archived.map(({ name, bytes }) => ({ path: normalEntryPath(name), bytes })), notes: paths.notes() };
}

async function readArchive(archive: Uint8Array, isIncluded: (name: string) => boolean): Promise<ArchivedFile[]> {
  if (startsWith(archive, [0x50, 0x4b, 3, 4]) || startsWith(archive, [0x50, 0x4b, 5, 6]))
    return readZip(archive, isIncluded);
  if (startsWith(archive, [0x1f, 0x8b])) return readTarGz(archive, isIncluded);
  const message = "That is no archive: it is neither a .zip nor a .tar.gz.";
  throw refused("not_an_archive", message, "Send the bytes of a .zip or .tar.gz.", "unsupported_media_type");
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

/** The path of an entry: in NFC, without the `./` that tar prepends. */
function normalEntryPath(name: string): string {
  return name.replace(/^(?:\.\/)+/, "").normalize("NFC");
}

/** The paths of an archive. Each may occur once, also on case-insensitive systems. */
class EntryPaths {
  /** The original name, by comparison key. */
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();
  #leftBehind = 0;

  /** Adds an entry; false if it is skipped. @throws IsopodError if its path is invalid or a duplicate */
  take(name: string): boolean {
    const path = normalEntryPath(name);
    const fault = entryPathFault(path);
    if (fault !== undefined) {
      throw refused(
        "bad_path",
        `${quotedName(name)} cannot be unpacked: its path ${fault}.`,
        "Rename it, and pack it anew.",
      );
    }
    if (LEFT_BEHIND.test(path)) {
      this.#leftBehind++;
      return false;
    }
    const key = comparisonKey(path);
    const twin = this.#files.get(key) ?? this.#folders.get(key) ?? this.#fileAbove(key);
    if (twin !== undefined) {
      const message = `${quotedName(name)} and ${quotedName(twin)} are in each other's way: they are one name to some systems.`;
      throw refused("duplicate_name", message, "Rename one of them, and pack it anew.");
    }
    this.#files.set(key, name);
    for (const folder of parentFolders(key)) if (!this.#folders.has(folder)) this.#folders.set(folder, name);
    return true;
  }

  notes(): string[] {
    return this.#leftBehind === 0
      ? []
      : [`${this.#leftBehind} files were left out that tools leave behind (__MACOSX/, .DS_Store, .git/).`];
  }

  #fileAbove(key: string): string | undefined {
    const file = parentFolders(key).find((folder) => this.#files.has(folder));
    return file && this.#files.get(file);
  }
}

/** What is wrong with a path, as the end of a sentence; undefined if it is valid. */
function entryPathFault(path: string): string | undefined {
  if (DRIVE_LETTER.test(path)) return "begins with a drive letter";
  const segments = path.split("/");
  if (segments.length > MAX_DEPTH) return `is more than ${MAX_DEPTH} folders deep`;
  if (segments.includes("__proto__")) return "has a segment that programs take for something else";
  return pathFault(path, MAX_ENTRY_PATH_BYTES);
}

function comparisonKey(path: string): string {
  return path.toLowerCase().normalize("NFC");
}

function parentFolders(key: string): string[] {
  const names = key.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/** Whether bytes start like a zip or gzip, regardless of names and content types. */
export function isArchive(bytes: Uint8Array): boolean {
  const [first, second, third, fourth] = bytes;
  const isZip = first === 0x50 && second === 0x4b && ((third === 3 && fourth === 4) || (third === 5 && fourth === 6));
  return isZip || (first === 0x1f && second === 0x8b);
}
