import { pathFault } from "../lib/relative-path.ts";
import { head } from "../lib/text.ts";
import { MAX_PATH_BYTES, WorkspaceError } from "./workspace.ts";

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MAX_SHOWN_CHARS = 120;
/** Spellings of the workspace's root: `~`, `/workspace`, and OpenClaw's folder on disk. */
const ROOT =
  /^(?:~(?:\/\.openclaw\/workspace)?|\/workspace|\/(?:root|home\/[^/]+|Users\/[^/]+)\/\.openclaw\/workspace)(?:\/|$)/;

/**
 * Returns a file's path if `pathFault` accepts it with at most 1,024 bytes.
 * @throws WorkspaceError `bad_path` with the violated rule
 */
export function checkPath(path: string): string {
  const fault = pathFault(path, MAX_PATH_BYTES);
  if (fault === undefined) return path;
  throw new WorkspaceError("bad_path", path, `Not a path in the workspace: ${visible(path)}. It ${fault}.`);
}

/** A path for messages: on one line, without invisible characters, and shortened. */
export function visible(path: string): string {
  const shown = head(path, MAX_SHOWN_CHARS).replace(INVISIBLE, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
  return `\`${shown}${path.length > MAX_SHOWN_CHARS ? "…" : ""}\``;
}

/** Like `checkPath` for a folder: "" is the root, and a final `/` is dropped. @throws WorkspaceError `bad_path` */
export function checkFolder(folder: string): string {
  return folder === "" ? "" : checkPath(folder.replace(/\/$/, ""));
}

/**
 * The workspace path that a model means. `./notes.md`, `~/notes.md`, `/workspace/notes.md` and OpenClaw's
 * `~/.openclaw/workspace/notes.md` are all `notes.md`. Normalized to NFC, so that a file has one name in what an agent
 * has read.
 * @throws WorkspaceError `bad_path`
 */
export function resolvePath(typed: string): string {
  return checkPath(relativeTo(typed));
}

/** Like `resolvePath` for a folder; the root is "". @throws WorkspaceError `bad_path` */
export function resolveFolder(typed: string): string {
  return checkFolder(relativeTo(typed));
}

/** Whether a key of another program is a valid path. */
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
