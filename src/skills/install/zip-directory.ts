import { refused, shown } from "./refuse.ts";

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const MAX_COMMENT_BYTES = 65_535;
const ONLY_IN_ZIP64 = 0xffffffff;
/** The high byte of `version made by` of who writes Unix modes: Unix, and macOS. */
const UNIX_MAKERS = [3, 19];

/** One entry as the central directory tells it. Numbers are as declared; nothing is trusted yet. */
export interface ZipEntry {
  name: string;
  nameBytes: Uint8Array;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  /** The file's type and rights, where a Unix wrote it; else 0. */
  unixMode: number;
  headerOffset: number;
}

/** Where the central directory begins is where the last entry has to end. */
export interface ZipDirectory {
  entries: ZipEntry[];
  offset: number;
}

/**
 * Reads the directory at the end of a zip (APPNOTE 6.3.10, 4.3.12 and 4.3.16). The end record has to be the end: nothing may
 * follow it, and the directory lies right before it.
 * @throws IsopodError
 */
export function readZipDirectory(zip: Uint8Array, maxEntries: number): ZipDirectory {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  const offset = view.getUint32(end + 16, true);
  if (view.getUint16(end + 4, true) !== 0 || view.getUint16(end + 6, true) !== 0) {
    throw refused("zip_parts", "The zip is one part of several.", "Pack it as one file.");
  }
  if (count === 0xffff || size === ONLY_IN_ZIP64 || offset === ONLY_IN_ZIP64) throw zip64();
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
    const { entry, next } = readEntry(zip, view, at, end);
    entries.push(entry);
    at = next;
  }
  if (at !== end) throw refused("zip_damaged", "The directory of the zip has more than it says.", "Pack it anew.");
  return { entries, offset };
}

/** A name is UTF-8, whether or not it says so: what is not is refused rather than guessed. */
function nameOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    const name = new TextDecoder().decode(bytes);
    throw refused("name_not_utf8", `The name of ${shown(name)} is not UTF-8.`, "Rename it, and pack it anew.");
  }
}

function readEntry(zip: Uint8Array, view: DataView, at: number, end: number): { entry: ZipEntry; next: number } {
  if (at + CENTRAL_BYTES > end || view.getUint32(at, true) !== CENTRAL_SIGNATURE) {
    throw refused("zip_damaged", "The directory of the zip is damaged.", "Send it again, or pack it anew.");
  }
  const nameLength = view.getUint16(at + 28, true);
  const next = at + CENTRAL_BYTES + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  if (next > end) throw refused("zip_damaged", "The directory of the zip is cut off.", "Send it again.");
  const nameBytes = zip.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength);
  const isUnix = UNIX_MAKERS.includes(view.getUint16(at + 4, true) >>> 8);
  const entry: ZipEntry = {
    name: nameOf(nameBytes),
    nameBytes,
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedSize: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    unixMode: isUnix ? view.getUint32(at + 38, true) >>> 16 : 0,
    headerOffset: view.getUint32(at + 42, true),
  };
  if ([entry.packedSize, entry.size, entry.headerOffset].includes(ONLY_IN_ZIP64)) throw zip64();
  return { entry, next };
}

/** Where the end record is: the last place where one stands whose comment reaches exactly to the end. */
function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  throw refused("zip_damaged", "The zip has no end: it is cut off, or something follows it.", "Send it again.");
}

function zip64() {
  return refused("zip64", "The zip is in the format for more than 4 GB (zip64).", "Pack it without zip64.");
}
