import { type ErrorCode, IsopodError } from "../../lib/errors.ts";
import { head } from "../../lib/text.ts";

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MAX_SHOWN_CHARS = 120;

/** Why an archive or a package is not installed. `reason` is for programs; the message names the entry. */
export function refused(reason: string, message: string, hint?: string, code: ErrorCode = "invalid_request") {
  return new IsopodError(code, message, hint, { reason });
}

/** A name from an archive as a message can show it: on one line, with nothing invisible in it, and not too long. */
export function shown(name: string): string {
  const visible = head(name, MAX_SHOWN_CHARS).replace(UNPRINTABLE, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
  return `\`${visible}${name.length > MAX_SHOWN_CHARS ? "…" : ""}\``;
}
