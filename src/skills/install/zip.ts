import { crc32 } from "node:zlib";
import { inflateRaw } from "./inflate.ts";
import { MAX_ENTRIES, MAX_EXPANDED_BYTES } from "./package-limits.ts";
import { refused, shown } from "./refuse.ts";
import { readZipDirectory, type ZipEntry } from "./zip-directory.ts";

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
/** Bits of the flags: encrypted, sizes follow the data, patched data, strongly encrypted, masked directory. */
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;
const SIZES_FOLLOW = 0x0008;
const PATCHED = 0x0020;
/** What may stand behind the data where the sizes follow it: with or without a signature. */
const DESCRIPTOR_BYTES = [12, 16];
const TYPE_BITS = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const SYMLINK = 0o120000;

/** A file of an archive under the name that it has there. */
export interface ArchivedFile {
  name: string;
  bytes: Uint8Array;
}

/**
 * The files of a zip. No entry is believed: the directory and the entry itself have to agree, entries lie one behind the other
 * with nothing before, between and on top of each other, and what unfolds is counted, whatever size is declared.
 *
 * The directory is read here because no library gives it and the entries' own headers both: fflate, which inflates, reads
 * the one or the other, and two readers of one zip then see two different packages.
 * @param wanted what is not is checked and left folded
 * @throws IsopodError
 */
export function readZip(zip: Uint8Array, wanted: (name: string) => boolean): ArchivedFile[] {
  const { entries, offset } = readZipDirectory(zip, MAX_ENTRIES);
  const inOrder = entries.toSorted((a, b) => a.headerOffset - b.headerOffset);
  const spans = new Map<ZipEntry, Uint8Array>();
  let reached = 0;
  for (const [index, entry] of inOrder.entries()) {
    refuseKind(entry);
    const next = inOrder[index + 1]?.headerOffset ?? offset;
    if (entry.headerOffset !== reached || next > offset) throw misplaced(entry);
    const { data, end } = dataOf(zip, entry, next);
    const isFollowed = (entry.flags & SIZES_FOLLOW) !== 0 && DESCRIPTOR_BYTES.includes(next - end);
    if (end !== next && !isFollowed) throw misplaced(entry);
    spans.set(entry, data);
    reached = next;
  }
  const files: ArchivedFile[] = [];
  let left = MAX_EXPANDED_BYTES;
  for (const entry of entries) {
    if (entry.name.endsWith("/") || !wanted(entry.name)) continue;
    const bytes = unpacked(entry, spans.get(entry) ?? new Uint8Array(), left);
    left -= bytes.length;
    files.push({ name: entry.name, bytes });
  }
  return files;
}

function refuseKind({ name, flags, method, unixMode, size }: ZipEntry): void {
  if (flags & ENCRYPTED) throw refused("encrypted", `${shown(name)} is encrypted.`, "Pack it without a password.");
  if (flags & PATCHED) throw refused("zip_method", `${shown(name)} is a patch of another file.`, "Pack it anew.");
  const type = unixMode & TYPE_BITS;
  if (type === SYMLINK) {
    throw refused("link", `${shown(name)} is a symbolic link.`, "Pack the file itself in its place.");
  }
  if (type !== 0 && type !== REGULAR && type !== DIRECTORY) {
    throw refused("not_a_file", `${shown(name)} is neither a file nor a folder.`, "Leave it out.");
  }
  if (method !== STORED && method !== DEFLATED) {
    throw refused("zip_method", `${shown(name)} is compressed by method ${method}.`, "Pack it with deflate.");
  }
  if (name.endsWith("/") && size > 0)
    throw refused("not_a_file", `${shown(name)} is a folder with data.`, "Pack it anew.");
}

/** The packed data of an entry, whose own header has to say what the directory says. */
function dataOf(zip: Uint8Array, entry: ZipEntry, limit: number): { data: Uint8Array; end: number } {
  const { headerOffset: at } = entry;
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  if (at + LOCAL_BYTES > limit || view.getUint32(at, true) !== LOCAL_SIGNATURE) throw misplaced(entry);
  const nameLength = view.getUint16(at + 26, true);
  const start = at + LOCAL_BYTES + nameLength + view.getUint16(at + 28, true);
  const end = start + entry.packedSize;
  if (end > limit) throw misplaced(entry);
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
    const message = `The directory of the zip and its entry ${shown(entry.name)} do not say the same.`;
    throw refused("zip_disagrees", message, "Pack it anew.");
  }
  return { data: zip.subarray(start, end), end };
}

function unpacked(entry: ZipEntry, data: Uint8Array, maxBytes: number): Uint8Array {
  const { name, method, size, crc } = entry;
  // A copy, so that a file does not keep the whole archive in memory.
  const bytes =
    method === STORED ? data.slice(0, maxBytes + 1) : inflateRaw(data, Math.min(maxBytes, size), shown(name));
  if (bytes.length > maxBytes) {
    const message = `Unpacking was stopped at ${shown(name)}: the archive holds more than ${MAX_EXPANDED_BYTES} bytes.`;
    throw refused("too_large", message, "Leave out what the skill does not need.", "payload_too_large");
  }
  if (bytes.length !== size || crc32(bytes) !== crc) {
    throw refused(
      "zip_damaged",
      `${shown(name)} is damaged: its size or checksum is not what it says.`,
      "Pack it anew.",
    );
  }
  return bytes;
}

function misplaced({ name }: ZipEntry) {
  const message = `${shown(name)} is not where the zip's directory says, or lies over another entry.`;
  return refused("zip_overlap", message, "Pack it anew.");
}
