import type { BootstrapFile } from "./bootstrap.ts";
import { type Excerpt, excerptOf, truncate } from "./truncate.ts";

/** `bootstrapMaxChars` and `bootstrapTotalMaxChars`, in UTF-16 units. */
export interface BootstrapLimits {
  fileChars: number;
  totalChars: number;
}

export const BOOTSTRAP_LIMITS: BootstrapLimits = { fileChars: 20_000, totalChars: 60_000 };

/** Kept back for each file that is still to come, so that its name and a marker always fit. */
const RESERVED_CHARS = 160;

/** A file before the limits: its text, as much of it as was read, or the marker that stands in for it. */
export interface Unlimited extends Pick<BootstrapFile, "path" | "missing" | "warnings"> {
  text: Excerpt | string;
}

/**
 * The files cut to the limits, in their order; those that come first cannot take all the room from those that come
 * later. One that is cut already and fits is handed on as the same object.
 */
export function withinLimits(
  files: readonly (Unlimited | BootstrapFile)[],
  { fileChars, totalChars }: BootstrapLimits,
): BootstrapFile[] {
  let left = totalChars;
  return files.map((file, i) => {
    const reserved = RESERVED_CHARS * (files.length - 1 - i);
    const max = Math.max(0, Math.min(fileChars, left - reserved));
    const shown = "text" in file ? cut(file, max) : cutAgain(file, max);
    left -= shown.injectedChars;
    return shown;
  });
}

function cut({ text, ...file }: Unlimited, max: number): BootstrapFile {
  const isMarker = typeof text === "string";
  const { content, truncated } = isMarker
    ? { content: text.slice(0, max), truncated: false }
    : truncate(text, max, file.path);
  return { ...file, content, rawChars: isMarker ? 0 : text.rawChars, injectedChars: content.length, truncated };
}

/** What is left out of it is in no file: the text is somebody else's. */
function cutAgain(file: BootstrapFile, max: number): BootstrapFile {
  if (file.injectedChars <= max) return file;
  const { content } = truncate(excerptOf(file.content, max), max);
  return { ...file, content, injectedChars: content.length, truncated: true };
}
