import { type ErrorCode, IsopodError } from "../../lib/errors.ts";
import { head } from "../../lib/text.ts";

const MIB = 1024 * 1024;

/** Largest archive as it is sent, in bytes. */
export const MAX_ARCHIVE_BYTES = 10 * MIB;

/** Most bytes that an archive may unfold to, all files together; counted while it unfolds, whatever it declares. */
export const MAX_EXPANDED_BYTES = 20 * MIB;

/** Largest file of a skill, in bytes. */
export const MAX_PACKAGE_FILE_BYTES = 4 * MIB;

/** Most entries of an archive: a repository's has more than the one skill that is meant. */
export const MAX_ENTRIES = 5000;

/** Most files of a skill. */
export const MAX_PACKAGE_FILES = 500;

/** Longest path in an archive, in bytes of UTF-8: the rest of R2's 1,024 is for where it is put. */
export const MAX_ENTRY_PATH_BYTES = 512;

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MAX_SHOWN_CHARS = 120;

/** Why an archive or a package is not installed. `reason` is for programs; the message names the entry. */
export function refused(reason: string, message: string, hint?: string, code: ErrorCode = "invalid_request") {
  return new IsopodError(code, message, hint, { reason });
}

/** A name from an archive as a message can show it: on one line, with nothing invisible in it, and not too long. */
export function quotedName(name: string): string {
  const visible = head(name, MAX_SHOWN_CHARS).replace(UNPRINTABLE, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
  return `\`${visible}${name.length > MAX_SHOWN_CHARS ? "…" : ""}\``;
}
