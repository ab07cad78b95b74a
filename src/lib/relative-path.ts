import { byteLength } from "./text.ts";

/** Control and format characters, and the two line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * What is wrong with a path, as the end of a sentence ("It has …"); undefined if it is relative and `/`-separated,
 * without `.`, `..` and empty segments, spaces at the ends of a segment, backslashes, control and format characters,
 * and has at most `maxBytes` bytes.
 */
export function pathFault(path: string, maxBytes: number): string | undefined {
  if (path === "") return "is empty";
  if (!path.isWellFormed()) return "has half of a surrogate pair";
  if (UNPRINTABLE.test(path)) return "has a control or format character";
  if (path.includes("\\")) return "has a backslash; folders are separated by `/`";
  if (byteLength(path) > maxBytes) return `is longer than ${maxBytes} bytes`;
  if (path.startsWith("/")) return "starts with `/`; paths are relative to the workspace, as in `memory/notes.md`";
  const segments = path.split("/");
  if (segments.includes("..")) return "has a `..` segment, which would leave the workspace";
  if (segments.includes(".")) return "has a `.` segment";
  if (path.endsWith("/")) return "ends with `/`, so it names a folder and no file";
  if (segments.includes("")) return "has an empty segment (`//`)";
  if (segments.some((segment) => segment !== segment.trim())) return "has a segment that begins or ends with a space";
  return undefined;
}
