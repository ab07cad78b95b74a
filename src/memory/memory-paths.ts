import type { Agent } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { globMatcher } from "../lib/glob.ts";
import { mediaTypeForPath } from "../workspace/media-type.ts";
import { resolveFolder } from "../workspace/paths.ts";

/** The settings that say what of a workspace is memory. */
export type PathSettings = Pick<Agent["memorySearch"], "sources" | "extraPaths">;

/** Where transcripts are, in paths of memory. No file of the workspace that begins so is memory. */
export const TRANSCRIPTS = "sessions/";

/** Most entries of `extraPaths`: each is a listing. */
const MAX_EXTRA = 50;

/** What makes an entry a glob, as the tool `find` has them. */
const WILD = /[*?[{]/;

/** An entry of `extraPaths`. */
export interface ExtraPlace {
  /** What to look in, or the file itself; "" is the root. */
  folder: string;
  covers(path: string): boolean;
}

/** What of a workspace is memory. */
export interface MemoryPlaces {
  /** Whether a file at a path is memory. */
  covers(path: string): boolean;
  extra: readonly ExtraPlace[];
  /** What is wrong with `extraPaths`, a sentence each. */
  faults: readonly string[];
}

/** Whether a file of the workspace is memory: MEMORY.md in any case, what is `.md` below `memory/`, and `extraPaths`. */
export function isMemoryPath(path: string, settings: PathSettings): boolean {
  return memoryPlaces(settings).covers(path);
}

/** What the settings make memory of a workspace: never what is hidden, which is for programs, and nothing outside of it. */
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

/** Whether a folder of the root is the one of daily notes. */
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

/** @throws WorkspaceError `bad_path`, or an Error where it is no glob */
function extraPlace(entry: string): ExtraPlace {
  if (!WILD.test(entry)) {
    const folder = resolveFolder(entry);
    const below = folder === "" ? "" : `${folder}/`;
    return { folder, covers: (path) => path === folder || (path.startsWith(below) && isPerhapsText(path)) };
  }
  const segments = entry.split("/");
  const wild = segments.findIndex((segment) => WILD.test(segment));
  const folder = resolveFolder(segments.slice(0, wild).join("/"));
  const below = folder === "" ? "" : `${folder}/`;
  const matches = globMatcher((below + segments.slice(wild).join("/")).normalize("NFC"));
  return { folder, covers: (path) => path.startsWith(below) && matches(path) && isPerhapsText(path) };
}

/** Whether the name of a file leaves it open that it is a text. */
function isPerhapsText(path: string): boolean {
  const type = mediaTypeForPath(path);
  if (path.toLowerCase().endsWith(".svg")) return true;
  return !/^(?:image|audio|video)\/|^application\/(?:pdf|zip|gzip|vnd\.)/.test(type);
}
