import { type TarHeader, unpackTar } from "modern-tar";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import { gunzip } from "./inflate.ts";
import { MAX_ENTRIES, MAX_EXPANDED_BYTES, quotedName, refused } from "./refusal.ts";
import type { ArchivedFile } from "./zip.ts";

/** A tar's overhead: at most two blocks of 512 bytes per entry, and its end. */
const MAX_TAR_BYTES = MAX_EXPANDED_BYTES + 4 * 1024 * 1024;
/** The character that a decoder substitutes for invalid UTF-8. */
const REPLACEMENT = "\uFFFD";

const NOT_FILES: Partial<Record<NonNullable<TarHeader["type"]>, string>> = {
  symlink: "a symbolic link",
  link: "a hard link",
  "character-device": "a device",
  "block-device": "a device",
  fifo: "a pipe",
};

/**
 * Reads the files of a `.tar.gz`. It is decompressed in memory up to a limit, then parsed by modern-tar in strict mode:
 * ustar, PAX and GNU long names, checksums, and nothing after the end.
 * @param isIncluded false for entries that are checked and skipped
 * @throws IsopodError
 */
export async function readTarGz(archive: Uint8Array, isIncluded: (name: string) => boolean): Promise<ArchivedFile[]> {
  const tar = gunzip(archive, MAX_TAR_BYTES);
  let entries = 0;
  const filter = (header: TarHeader): boolean => {
    entries++;
    refuseEntry(header, entries);
    return header.type !== "directory" && header.type !== "pax-global-header" && isIncluded(header.name);
  };
  const found = await unpackStrictly(tar, filter);
  const files = found.map(({ header, data }) => ({ name: header.name, bytes: data ?? new Uint8Array() }));
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total > MAX_EXPANDED_BYTES) {
    const message = `The archive holds ${total} bytes, and ${MAX_EXPANDED_BYTES} are the most.`;
    throw refused("too_large", message, "Leave out what the skill does not need.", "payload_too_large");
  }
  return files;
}

async function unpackStrictly(tar: Uint8Array, filter: (header: TarHeader) => boolean) {
  try {
    return await unpackTar(tar, { strict: true, filter });
  } catch (thrown) {
    if (thrown instanceof IsopodError) throw thrown;
    throw refused("tar_damaged", `The tar in the archive is damaged: ${messageOf(thrown)}`, "Pack it anew.");
  }
}

function refuseEntry({ name, type, size }: TarHeader, entries: number): void {
  if (entries > MAX_ENTRIES) {
    const message = `The archive has more than ${MAX_ENTRIES} entries.`;
    throw refused("too_many_files", message, "Pack the skill alone.", "payload_too_large");
  }
  if (name.includes(REPLACEMENT)) {
    throw refused("name_not_utf8", `The name of ${quotedName(name)} is not UTF-8.`, "Rename it, and pack it anew.");
  }
  const other = type && NOT_FILES[type];
  if (other?.endsWith("link")) {
    throw refused("link", `${quotedName(name)} is ${other}.`, "Pack the file itself in its place.");
  }
  if (other !== undefined) throw refused("not_a_file", `${quotedName(name)} is ${other}.`, "Leave it out.");
  if (!Number.isSafeInteger(size) || size < 0) {
    throw refused("tar_damaged", `The size of ${quotedName(name)} is no number.`, "Pack it anew.");
  }
}
