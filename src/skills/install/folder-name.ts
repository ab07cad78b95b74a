import { byteLength } from "../../lib/text.ts";

const MAX_CHARS = 64;
const MAX_BYTES = 128;

/**
 * The folder for a skill of that name: lower case, letters and digits of any script, `-`, `_` and `.`, at most 64 characters and
 * 128 bytes; undefined where nothing is left of it.
 */
export function folderNameOf(name: string): string | undefined {
  const plain = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .replace(/-{2,}/g, "-");
  let folder = "";
  for (const character of trimmed(plain)) {
    if (folder.length + character.length > MAX_CHARS || byteLength(folder + character) > MAX_BYTES) break;
    folder += character;
  }
  return trimmed(folder) || undefined;
}

function trimmed(text: string): string {
  return text.replace(/^[._-]+|[._-]+$/g, "").normalize("NFC");
}
