import { crc32 } from "node:zlib";
import { inflateRaw } from "./inflate.ts";
import { MAX_ENTRIES, MAX_EXPANDED_BYTES, quotedName, refused } from "./refusal.ts";

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
/** Bits of the flags: encrypted, sizes follow the data, patched data, strongly encrypted, masked directory. */
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;
const SIZES_FOLLOW = 0x0008;
const PATCHED = 0x0020;
/** Sizes of a data descriptor, without and with its signature. */
const DESCRIPTOR_BYTES = [12, 16];
const TYPE_BITS = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const SYMLINK = 0o120000;

/** A file of an archive with its original name. */
export interface ArchivedFile {
  name: string;
  bytes: Uint8Array;
}

/**
 * Reads the files of a zip. The directory and each entry's own header must agree, entries must follow each other
 * without gaps or overlaps, and unpacked bytes are counted, whatever size is declared.
 *
 * The directory is parsed here because no library exposes both it and the entries' own headers: fflate, which inflates,
 * reads one or the other, and two readers of one zip can see two different packages.
 * @param isIncluded false for entries that are checked but not unpacked
 * @throws IsopodError
 */
export function readZip(zip: Uint8Array, isIncluded: (name: string) => boolean): ArchivedFile[] {
  const { entries, offset } = readZipDirectory(zip, MAX_ENTRIES);
  const inOrder = entries.toSorted((a, b) => a.headerOffset - b.headerOffset);
  const spans = new Map<ZipEntry, Uint8Array>();
  let reached = 0;
  for (const [index, entry] of inOrder.entries()) {
    refuseKind(entry);
    const next = inOrder[index + 1]?.headerOffset ?? offset;
    if (entry.headerOffset !== reached || next > offset) throw misplacedRefusal(entry);
    const { data, end } = entryData(zip, entry, next);
    const isFollowed = (entry.flags & SIZES_FOLLOW) !== 0 && DESCRIPTOR_BYTES.includes(next - end);
    if (end !== next && !isFollowed) throw misplacedRefusal(entry);
    spans.set(entry, data);
    reached = next;
  }
  const files: ArchivedFile[] = [];
  let left = MAX_EXPANDED_BYTES;
  for (const entry of entries) {
    if (entry.name.endsWith("/") || !isIncluded(entry.name)) continue;
    const bytes = unpackEntry(entry, spans.get(entry) ?? new Uint8Array(), left);
    left -= bytes.length;
    files.push({ name: entry.name, bytes });
  }
  return files;
}

function refuseKind({ name, flags, method, unixMode, size }: ZipEntry): void {
  if (flags & ENCRYPTED) throw refused("encrypted", `${quotedName(name)} is encrypted.`, "Pack it without a password.");
  if (flags & PATCHED) throw refused("zip_method", `${quotedName(name)} is a patch of another file.`, "Pack it anew.");
  const type = unixMode & TYPE_BITS;
  if (type === SYMLINK) {
    throw refused("link", `${quotedName(name)} is a symbolic link.`, "Pack the file itself in its place.");
  }
  if (type !== 0 && type !== REGULAR && type !== DIRECTORY) {
    throw refused("not_a_file", `${quotedName(name)} is neither a file nor a folder.`, "Leave it out.");
  }
  if (method !== STORED && method !== DEFLATED) {
    throw refused("zip_method", `${quotedName(name)} is compressed by method ${method}.`, "Pack it with deflate.");
  }
  if (name.endsWith("/") && size > 0)
    throw refused("not_a_file", `${quotedName(name)} is a folder with data.`, "Pack it anew.");
}

/** The compressed data of an entry, after comparing its own header with the directory. */
function entryData(zip: Uint8Array, entry: ZipEntry, limit: number): { data: Uint8Array; end: number } {
  const { headerOffset: at } = entry;
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  if (at + LOCAL_BYTES > limit || view.getUint32(at, true) !== LOCAL_SIGNATURE) throw misplacedRefusal(entry);
  const nameLength = view.getUint16(at + 26, true);
  const start = at + LOCAL_BYTES + nameLength + view.getUint16(at + 28, true);
  const end = start + entry.packedSize;
  if (end > limit) throw misplacedRefusal(entry);
  const name = zip.subarray(at + LOCAL_BYTES, at + LOCAL_BYTES + nameLength);
  const flags = view.getUint16(at + 6, true);
  const sizesAgree =
    view.getUint32(at + 14, true) === entry.crc &&
    view.getUint32(at + 18, true) === entry.packedSize &&
    view.getUint32(at + 22, true) === entry.size;
  const agrees =
    flags === entry.flags &&
    view.getUint16(at + 8, true) === entry.method &&
    ((flags & SIZES_FOLLOW) !== 0 || sizesAgree) &&
    name.length === entry.nameBytes.length &&
    name.every((byte, index) => byte === entry.nameBytes[index]);
  if (!agrees) {
    const message = `The directory of the zip and its entry ${quotedName(entry.name)} do not say the same.`;
    throw refused("zip_disagrees", message, "Pack it anew.");
  }
  return { data: zip.subarray(start, end), end };
}

function unpackEntry(entry: ZipEntry, data: Uint8Array, maxBytes: number): Uint8Array {
  const { name, method, size, crc } = entry;
  // A copy, so that a file does not keep the whole archive in memory.
  const bytes =
    method === STORED ? data.slice(0, maxBytes + 1) : inflateRaw(data, Math.min(maxBytes, size), quotedName(name));
  if (bytes.length > maxBytes) {
    const message = `Unpacking was stopped at ${quotedName(name)}: the archive holds more than ${MAX_EXPANDED_BYTES} bytes.`;
    throw refused("too_large", message, "Leave out what the skill does not need.", "payload_too_large");
  }
  if (bytes.length !== size || crc32(bytes) !== crc) {
    throw refused(
      "zip_damaged",
      `${quotedName(name)} is damaged: its size or checksum is not what it says.`,
      "Pack it anew.",
    );
  }
  return bytes;
}

function misplacedRefusal({ name }: ZipEntry) {
  const message = `${quotedName(name)} is not where the zip's directory says, or lies over another entry.`;
  return refused("zip_overlap", message, "Pack it anew.");
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const MAX_COMMENT_BYTES = 65_535;
const ONLY_IN_ZIP64 = 0xffffffff;
/** The high byte of `version made by` for systems with Unix modes: Unix and macOS. */
const UNIX_MAKERS = [3, 19];

/** An entry of the central directory. Its numbers are declared values, not yet verified. */
export interface ZipEntry {
  name: string;
  nameBytes: Uint8Array;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  /** The Unix file type and permissions; 0 if the zip has none. */
  unixMode: number;
  headerOffset: number;
}

/** The entries, and the offset of the directory, at which the last entry has to end. */
export interface ZipDirectory {
  entries: ZipEntry[];
  offset: number;
}

/**
 * Reads the central directory of a zip (APPNOTE 6.3.10, 4.3.12 and 4.3.16). The end record must be at the very end,
 * directly after the directory.
 * @throws IsopodError
 */
function readZipDirectory(zip: Uint8Array, maxEntries: number): ZipDirectory {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = findEndRecord(view);
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  const offset = view.getUint32(end + 16, true);
  if (view.getUint16(end + 4, true) !== 0 || view.getUint16(end + 6, true) !== 0) {
    throw refused("zip_parts", "The zip is one part of several.", "Pack it as one file.");
  }
  if (count === 0xffff || size === ONLY_IN_ZIP64 || offset === ONLY_IN_ZIP64) throw zip64Refusal();
  if (offset + size !== end) {
    throw refused("zip_damaged", "The directory of the zip is not where its end says.", "Pack it anew.");
  }
  if (count > maxEntries) {
    const message = `The archive has ${count} entries, and ${maxEntries} are the most.`;
    throw refused("too_many_files", message, "Pack the skill alone.", "payload_too_large");
  }
  const entries: ZipEntry[] = [];
  let at = offset;
  for (let index = 0; index < count; index++) {
    const { entry, next } = readDirectoryEntry(zip, view, at, end);
    entries.push(entry);
    at = next;
  }
  if (at !== end) throw refused("zip_damaged", "The directory of the zip has more than it says.", "Pack it anew.");
  return { entries, offset };
}

/** Decodes a name as UTF-8, whatever its flags say; other encodings are refused. */
function zipEntryName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    const name = new TextDecoder().decode(bytes);
    throw refused("name_not_utf8", `The name of ${quotedName(name)} is not UTF-8.`, "Rename it, and pack it anew.");
  }
}

function readDirectoryEntry(
  zip: Uint8Array,
  view: DataView,
  at: number,
  end: number,
): { entry: ZipEntry; next: number } {
  if (at + CENTRAL_BYTES > end || view.getUint32(at, true) !== CENTRAL_SIGNATURE) {
    throw refused("zip_damaged", "The directory of the zip is damaged.", "Send it again, or pack it anew.");
  }
  const nameLength = view.getUint16(at + 28, true);
  const next = at + CENTRAL_BYTES + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  if (next > end) throw refused("zip_damaged", "The directory of the zip is cut off.", "Send it again.");
  const nameBytes = zip.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength);
  const isUnix = UNIX_MAKERS.includes(view.getUint16(at + 4, true) >>> 8);
  const entry: ZipEntry = {
    name: zipEntryName(nameBytes),
    nameBytes,
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedSize: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    unixMode: isUnix ? view.getUint32(at + 38, true) >>> 16 : 0,
    headerOffset: view.getUint32(at + 42, true),
  };
  if ([entry.packedSize, entry.size, entry.headerOffset].includes(ONLY_IN_ZIP64)) throw zip64Refusal();
  return { entry, next };
}

/** The offset of the end record: the last one whose comment reaches exactly to the end of the file. */
function findEndRecord(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  throw refused("zip_damaged", "The zip has no end: it is cut off, or something follows it.", "Send it again.");
}

function zip64Refusal() {
  return refused("zip64", "The zip is in the format for more than 4 GB (zip64).", "Pack it without zip64.");
}
