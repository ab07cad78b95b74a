import { type CachedText, readText } from "./read-text.ts";
import { type Excerpt, truncate } from "./truncate.ts";
import { type Workspace, type WorkspaceEntry, WorkspaceError, type WorkspaceFile } from "./workspace.ts";

/** A file of the workspace's root as it goes into the prompt. Lengths are in UTF-16 units. */
export interface BootstrapFile {
  path: string;
  /** What is shown: the text, as much of it as fits, or a line that says why there is none. */
  content: string;
  /** The length of the file's text; reckoned where the file is too large to be read whole, 0 where it is no text. */
  rawChars: number;
  injectedChars: number;
  truncated: boolean;
  missing: boolean;
}

export interface BootstrapRequest {
  workspace: Pick<Workspace, "read">;
  /** The root, as it was listed for this turn. */
  listing: readonly WorkspaceEntry[];
  /** What earlier turns read; kept up to date. */
  cache: BootstrapCache;
  /** `minimal` is for sub-agents and jobs: AGENTS.md and TOOLS.md alone. */
  mode: "full" | "minimal";
  /** True for an agent that has heartbeats: HEARTBEAT.md is in. */
  heartbeat: boolean;
  /** True where only owners listen: MEMORY.md and USER.md are in. */
  personal: boolean;
  limits?: BootstrapLimits;
}

/** `bootstrapMaxChars` and `bootstrapTotalMaxChars`. */
export interface BootstrapLimits {
  fileChars: number;
  totalChars: number;
}

export const BOOTSTRAP_LIMITS: BootstrapLimits = { fileChars: 20_000, totalChars: 60_000 };

/** Files by path, as they were last read. Belongs to one agent. */
export type BootstrapCache = Map<string, CachedText>;

/** Kept back for each file that is still to come, so that its name and a marker always fit. */
const RESERVED_CHARS = 160;

/** A file that belongs into the prompt, and where it is if it exists. */
interface Wanted {
  path: string;
  file: WorkspaceFile | undefined;
}

/**
 * The bootstrap files in their order, cut to the limits. Reads only what changed since it was cached: a turn after
 * which nothing changed costs no store operation.
 * @throws WorkspaceError `unavailable`
 */
export async function loadBootstrap(request: BootstrapRequest): Promise<BootstrapFile[]> {
  const limits = request.limits ?? BOOTSTRAP_LIMITS;
  const loaded = await Promise.all(wantedOf(request).map((wanted) => load(request, wanted, limits.fileChars)));
  const files = loaded.filter((file) => !(isOptional(file.path) && (file.missing || file.empty)));
  let left = limits.totalChars;
  return files.map((file, i) => {
    const reserved = RESERVED_CHARS * (files.length - 1 - i);
    const shown = show(file, Math.max(0, Math.min(limits.fileChars, left - reserved)));
    left -= shown.injectedChars;
    return shown;
  });
}

/** The etags of the files that the prompt shows whole: who sees the prompt has read them. */
export function etagsShown(files: readonly BootstrapFile[], cache: BootstrapCache): Map<string, string> {
  const etags = new Map<string, string>();
  for (const file of files) {
    const cached = cache.get(file.path);
    if (cached?.kind === "text" && !file.truncated && !file.missing) etags.set(file.path, cached.etag);
  }
  return etags;
}

/** Which files this turn wants, in the order of the prompt. */
function wantedOf({ listing, mode, heartbeat, personal }: BootstrapRequest): Wanted[] {
  const named = (path: string): Wanted => ({ path, file: namesakes(listing, path)[0] });
  if (mode === "minimal") return ["AGENTS.md", "TOOLS.md"].map(named);
  return [
    ...["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md"].map(named),
    ...(personal ? [named("USER.md")] : []),
    ...(heartbeat ? [named("HEARTBEAT.md")] : []),
    named("BOOTSTRAP.md"),
    ...(personal ? memoriesAmong(listing) : []),
  ];
}

/** The files of the root that have that name in any case, the one that is spelt so first. */
function namesakes(listing: readonly WorkspaceEntry[], name: string): WorkspaceFile[] {
  return listing
    .filter((entry) => entry.kind === "file")
    .filter((file) => file.path.toLowerCase() === name.toLowerCase())
    .sort((a, b) => Number(b.path === name) - Number(a.path === name));
}

/** MEMORY.md and memory.md; one of them where they hold the same. */
function memoriesAmong(listing: readonly WorkspaceEntry[]): Wanted[] {
  const seen = new Set<string>();
  return namesakes(listing, "MEMORY.md").flatMap((file) => {
    if (seen.has(file.etag)) return [];
    seen.add(file.etag);
    return [{ path: file.path, file }];
  });
}

/** BOOTSTRAP.md and MEMORY.md are not missed, and an empty one is as good as none. */
function isOptional(path: string): boolean {
  return ["bootstrap.md", "memory.md"].includes(path.toLowerCase());
}

/** A file on its way into the prompt: its text, or the marker that stands in for it. */
interface Loaded {
  path: string;
  missing: boolean;
  empty: boolean;
  text: Excerpt | string;
}

async function load({ workspace, cache }: BootstrapRequest, wanted: Wanted, maxChars: number): Promise<Loaded> {
  const path = wanted.file?.path ?? wanted.path;
  const read = wanted.file && (await readThroughCache(workspace, cache, wanted.file, maxChars));
  if (read === undefined) return { path, missing: true, empty: false, text: `(${path} does not exist yet.)` };
  if (read.kind === "binary") {
    const marker = `(${path} is not UTF-8 text: ${read.size} bytes that are not shown here.)`;
    return { path, missing: false, empty: false, text: marker };
  }
  const empty = read.excerpt.head.trim() === "" && read.excerpt.tail.trim() === "";
  return { path, missing: false, empty, text: empty ? `(${path} is empty.)` : read.excerpt };
}

async function readThroughCache(
  workspace: Pick<Workspace, "read">,
  cache: BootstrapCache,
  file: WorkspaceFile,
  maxChars: number,
): Promise<CachedText | undefined> {
  const known = cache.get(file.path);
  if (known !== undefined && known.etag === file.etag && known.maxChars === maxChars) return known;
  try {
    const read = await readText(workspace, file, maxChars);
    cache.set(file.path, read);
    return read;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

function show({ path, missing, text }: Loaded, max: number): BootstrapFile {
  const isMarker = typeof text === "string";
  const { content, truncated } = isMarker
    ? { content: text.slice(0, max), truncated: false }
    : truncate(text, max, path);
  return {
    path,
    content,
    rawChars: isMarker ? 0 : text.rawChars,
    injectedChars: content.length,
    truncated,
    missing,
  };
}
