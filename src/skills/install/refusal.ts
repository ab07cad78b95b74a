import { type ErrorCode, IsopodError } from "../../lib/errors.ts";
import { head } from "../../lib/text.ts";

const MIB = 1024 * 1024;

/** Largest archive, in bytes as it is uploaded or downloaded. */
export const MAX_ARCHIVE_BYTES = 10 * MIB;

/** Most bytes of an unpacked archive, counted while it is unpacked, whatever sizes it declares. */
export const MAX_EXPANDED_BYTES = 20 * MIB;

/** Largest file of a skill, in bytes. */
export const MAX_PACKAGE_FILE_BYTES = 4 * MIB;

/** Most entries of an archive: that of a repository has more than the one skill. */
export const MAX_ENTRIES = 5000;

/** Most files of a skill. */
export const MAX_PACKAGE_FILES = 500;

/** Longest path in an archive, in bytes of UTF-8: an R2 key has 1,024, shared with the target's prefix. */
export const MAX_ENTRY_PATH_BYTES = 512;

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MAX_SHOWN_CHARS = 120;

/** The error that refuses an archive or package. `reason` is a code for programs; the message names the entry. */
export function refused(reason: string, message: string, hint?: string, code: ErrorCode = "invalid_request") {
  return new IsopodError(code, message, hint, { reason });
}

/** A name from an archive, quoted for a message: on one line, shortened, invisible characters escaped. */
export function quotedName(name: string): string {
  const visible = head(name, MAX_SHOWN_CHARS).replace(UNPRINTABLE, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
  return `\`${visible}${name.length > MAX_SHOWN_CHARS ? "…" : ""}\``;
}
