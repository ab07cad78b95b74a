import type { Agent } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { globMatcher } from "../lib/glob.ts";
import { mediaTypeOf } from "../workspace/media-type.ts";
import { resolveFolder } from "../workspace/paths.ts";
import type { MemorySource } from "./agent-memory.ts";

/** The settings that decide which files of a workspace are memory. */
export type PathSettings = Pick<Agent["memorySearch"], "sources" | "extraPaths">;

/** The folder of transcripts in paths of memory. Files of the workspace below it are not memory. */
export const TRANSCRIPTS = "sessions/";

/** Entries of `extraPaths` that count: each is a listing. */
const MAX_EXTRA = 50;

/** Characters that make an entry a glob, as in the tool `find`. */
const WILD = /[*?[{]/;

/** An entry of `extraPaths`. */
export interface ExtraPlace {
  /** The folder to list, or the file itself; "" is the root. */
  folder: string;
  covers(path: string): boolean;
}

/** Which files of a workspace are memory. */
export interface MemoryPlaces {
  /** Whether a file at a path is memory. */
  covers(path: string): boolean;
  extra: readonly ExtraPlace[];
  /** Problems of `extraPaths`, a sentence each. */
  faults: readonly string[];
}

/** Whether a file of the workspace is memory: MEMORY.md in any case, `.md` files below `memory/`, and `extraPaths`. */
export function isMemoryPath(path: string, settings: PathSettings): boolean {
  return memoryPlaces(settings).covers(path);
}

/** Which files of a workspace are memory. Hidden files and files outside the workspace never are. */
export function memoryPlaces({ sources, extraPaths }: PathSettings): MemoryPlaces {
  if (!sources.includes("memory")) return { covers: () => false, extra: [], faults: [] };
  const extra: ExtraPlace[] = [];
  const faults: string[] = [];
  if (extraPaths.length > MAX_EXTRA) faults.push(`Of memorySearch.extraPaths the first ${MAX_EXTRA} count.`);
  for (const entry of extraPaths.slice(0, MAX_EXTRA)) {
    try {
      extra.push(extraPlace(entry));
    } catch (thrown) {
      faults.push(`An entry of memorySearch.extraPaths is left out. ${messageOf(thrown)}`);
    }
  }
  return {
    covers: (path) =>
      !isReserved(path) && (isUsual(path) || extra.some((place) => place.covers(path.normalize("NFC")))),
    extra,
    faults,
  };
}

/** Whether a folder of the root is the folder of daily notes. */
export function isMemoryFolder(folder: string): boolean {
  return folder.toLowerCase() === "memory";
}

function isUsual(path: string): boolean {
  const name = path.toLowerCase();
  return name === "memory.md" || (name.startsWith("memory/") && name.endsWith(".md"));
}

function isReserved(path: string): boolean {
  return path.startsWith(TRANSCRIPTS) || path.startsWith(".") || path.includes("/.");
}

/** @throws WorkspaceError `bad_path`, or an Error for an invalid glob */
function extraPlace(entry: string): ExtraPlace {
  if (!WILD.test(entry)) {
    const folder = resolveFolder(entry);
    const below = folder === "" ? "" : `${folder}/`;
    return { folder, covers: (path) => path === folder || (path.startsWith(below) && mayBeText(path)) };
  }
  const segments = entry.split("/");
  const wild = segments.findIndex((segment) => WILD.test(segment));
  const folder = resolveFolder(segments.slice(0, wild).join("/"));
  const below = folder === "" ? "" : `${folder}/`;
  const matches = globMatcher((below + segments.slice(wild).join("/")).normalize("NFC"));
  return { folder, covers: (path) => path.startsWith(below) && matches(path) && mayBeText(path) };
}

/** Whether a file may be a text, by its name. */
function mayBeText(path: string): boolean {
  const type = mediaTypeOf(path);
  if (path.toLowerCase().endsWith(".svg")) return true;
  return !/^(?:image|audio|video)\/|^application\/(?:pdf|zip|gzip|vnd\.)/.test(type);
}

/** The names that the plugin `session-memory` gives its notes: a day, some words, and the end of a session's id. */
const CONVERSATION_NOTE = /^memory\/\d{4}-\d{2}-\d{2}-(?:.+-)?[0-9a-z]{8}\.md$/;

/**
 * Whether people other than the owner may have written a document: a transcript or a note made of one. A note by the
 * owner with such a name counts too.
 */
export function mayHoldOutsideText({ path, source }: { path: string; source: MemorySource }): boolean {
  return source === "sessions" || CONVERSATION_NOTE.test(path);
}
