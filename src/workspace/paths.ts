import { pathFault } from "../lib/relative-path.ts";
import { head } from "../lib/text.ts";
import { MAX_PATH_BYTES, WorkspaceError } from "./workspace.ts";

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MAX_SHOWN_CHARS = 120;
/** How models name the root of the workspace: `~`, `/workspace`, and where OpenClaw keeps it on a disk. */
const ROOT =
  /^(?:~(?:\/\.openclaw\/workspace)?|\/workspace|\/(?:root|home\/[^/]+|Users\/[^/]+)\/\.openclaw\/workspace)(?:\/|$)/;

/**
 * Gives a file's path back if it is one, by the rules of `pathFault`, with at most 1,024 bytes.
 * @throws WorkspaceError `bad_path` with a message that says which rule was broken
 */
export function checkPath(path: string): string {
  const fault = pathFault(path, MAX_PATH_BYTES);
  if (fault === undefined) return path;
  throw new WorkspaceError("bad_path", path, `Not a path in the workspace: ${visible(path)}. It ${fault}.`);
}

/** A path as a message can show it: on one line, with nothing invisible in it, and not too long. */
export function visible(path: string): string {
  const shown = head(path, MAX_SHOWN_CHARS).replace(INVISIBLE, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
  return `\`${shown}${path.length > MAX_SHOWN_CHARS ? "…" : ""}\``;
}

/** Like `checkPath` for a folder: "" is the root, and one `/` at the end is dropped. @throws WorkspaceError `bad_path` */
export function checkFolder(folder: string): string {
  return folder === "" ? "" : checkPath(folder.replace(/\/$/, ""));
}

/**
 * The path that a model means. Models write `./notes.md`, `~/notes.md`, `/workspace/notes.md` and OpenClaw's own
 * `~/.openclaw/workspace/notes.md`; each is `notes.md`, because the workspace is all the disk there is. Accents are
 * composed (NFC), so that one file has one name among what an agent has read.
 * @throws WorkspaceError `bad_path`
 */
export function resolvePath(typed: string): string {
  return checkPath(relativeTo(typed));
}

/** Like `resolvePath` for a folder; the root is "". @throws WorkspaceError `bad_path` */
export function resolveFolder(typed: string): string {
  return checkFolder(relativeTo(typed));
}

/** Whether a key that some other program made is a path that this workspace can name. */
export function isPath(path: string): boolean {
  return pathFault(path, MAX_PATH_BYTES) === undefined;
}

function relativeTo(typed: string): string {
  return typed
    .replace(ROOT, "")
    .replace(/^(?:\.\/+)+|^\.$/, "")
    .normalize("NFC");
}
/** The workspace as agents call it. */
export const WORKSPACE_DIR = "/workspace";
