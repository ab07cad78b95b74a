import { type BootstrapAudience, type BootstrapEntry, chooseFiles } from "./bootstrap-names.ts";
import type { TextFaults } from "./decode-text.ts";
import { type FileLabels, withoutLabelled } from "./file-labels.ts";
import { type CachedText, readText } from "./read-text.ts";
import { type Excerpt, makeExcerpt, truncate } from "./truncate.ts";
import { type Workspace, type WorkspaceEntry, WorkspaceError, type WorkspaceFile } from "./workspace.ts";

/** A bootstrap file as it goes into the prompt. Lengths are in UTF-16 units. */
export interface BootstrapFile {
  path: string;
  /** The text, as much of it as fits, or a line that says why there is none. */
  content: string;
  /** The length of the file's text; estimated for a file too large to be read whole, 0 for a binary file. */
  rawChars: number;
  injectedChars: number;
  truncated: boolean;
  missing: boolean;
  /** Problems of its text, in sentences; absent if there are none. */
  warnings?: readonly string[];
}

/** The bootstrap files of a prompt. */
export interface BootstrapFiles {
  shown: readonly BootstrapFile[];
  /** The key sections of a truncated AGENTS.md; absent if it is whole or has none. */
  keySections?: string;
  /** Warnings about files that are not shown. */
  warnings: readonly string[];
}

export interface BootstrapRequest extends BootstrapAudience {
  workspace: Pick<Workspace, "read">;
  /** The root listing of this turn. */
  listing: readonly WorkspaceEntry[];
  /** Texts read by earlier turns; updated. */
  cache: BootstrapCache;
  limits?: BootstrapLimits;
}

/** Texts by path, as they were last read. Belongs to one agent. */
export interface BootstrapCache {
  get(path: string): CachedText | undefined;
  set(path: string, text: CachedText): unknown;
}

/**
 * Loads the bootstrap files in order, cut to the limits. Reads only files that changed since they were cached: an
 * unchanged workspace costs no store operation.
 * @throws WorkspaceError `unavailable`
 */
export async function loadBootstrap(request: BootstrapRequest): Promise<BootstrapFiles> {
  const { listing, limits = BOOTSTRAP_LIMITS } = request;
  const { wanted, warnings } = chooseFiles(listing, request);
  const loaded = await Promise.all(wanted.map((file) => load(request, file, limits.fileChars)));
  const present = loaded.filter((file) => file !== undefined);
  const shown = withinLimits(present, limits);
  return { shown, warnings, ...keySectionsAmong(shown, request.cache) };
}

function keySectionsAmong(shown: readonly BootstrapFile[], cache: BootstrapCache): { keySections?: string } {
  const agents = shown.find(({ path, truncated }) => truncated && path.toLowerCase() === "agents.md");
  const cached = agents && cache.get(agents.path);
  if (cached?.kind !== "text" || agents?.content.includes(cached.keySections)) return {};
  return { keySections: cached.keySections };
}

/** The etags of files that the prompt shows unmodified: a reader of the prompt has read these versions. */
export function etagsShown(files: readonly BootstrapFile[], cache: BootstrapCache): Map<string, string> {
  const etags = new Map<string, string>();
  for (const { path, content, truncated, missing } of files) {
    const cached = cache.get(path);
    if (cached?.kind !== "text" || truncated || missing) continue;
    const isAsItIs = cached.faults.controls + cached.faults.broken === 0;
    if (isAsItIs && (content === cached.excerpt.head || isBlank(cached))) etags.set(path, cached.etag);
  }
  return etags;
}

/** An absent or empty BOOTSTRAP.md or MEMORY.md is not mentioned. */
function isOptional(path: string): boolean {
  return ["bootstrap.md", "memory.md"].includes(path.toLowerCase());
}

/** Undefined for a file that is absent and optional. */
async function load(
  request: BootstrapRequest,
  wanted: BootstrapEntry,
  maxChars: number,
): Promise<UncutFile | undefined> {
  const { workspace, cache } = request;
  const path = wanted.file?.path ?? wanted.path;
  const read = wanted.file && (await readThroughCache(workspace, cache, wanted.file, maxChars));
  if (read === undefined || isBlank(read)) {
    if (isOptional(path)) return undefined;
    const missing = read === undefined;
    return { path, missing, text: missing ? `(${path} does not exist yet.)` : `(${path} is empty.)` };
  }
  if (read.kind === "binary") return { path, missing: false, text: unreadable(path, read) };
  if (asksForNothing(path, read.excerpt)) return { path, missing: false, text: `(${path} is empty.)` };
  const warnings = faultWarnings(path, read.faults);
  const text = withoutLabels(read.excerpt, wanted.file?.labels);
  return { path, missing: false, text, ...(warnings.length > 0 && { warnings }) };
}

/** An excerpt whose labelled lines are left out. */
function withoutLabels(excerpt: Excerpt, labels: FileLabels | undefined): Excerpt {
  if (labels === undefined) return excerpt;
  const { head, tail, rawChars } = excerpt;
  const isWhole = head.length === rawChars;
  const [shown, end] = [withoutLabelled(head, labels), tail === "" ? "" : withoutLabelled(tail, labels)];
  return { ...excerpt, head: shown, tail: end, rawChars: isWhole ? shown.length : rawChars };
}

function isBlank(read: CachedText): boolean {
  return read.kind === "text" && read.excerpt.head.trim() === "" && read.excerpt.tail.trim() === "";
}

/** Whether a HEARTBEAT.md has nothing but headings. A truncated one may have more. */
function asksForNothing(path: string, { head, rawChars }: Excerpt): boolean {
  return path.toLowerCase() === "heartbeat.md" && head.length === rawChars && isEffectivelyEmpty(head);
}

function unreadable(path: string, { size, why }: { size: number; why: "encoding" | "controls" }): string {
  return why === "encoding"
    ? `(${path} is not UTF-8 text: ${size} bytes that are not shown here.)`
    : `(${path} is full of control characters and no text: ${size} bytes that are not shown here.)`;
}

function faultWarnings(path: string, { controls, broken, hidden }: TextFaults): string[] {
  return [
    controls > 0 && `\`${path}\` has control characters (${controls}); they are shown as pictures, such as \u2400.`,
    broken > 0 && `\`${path}\` has bytes that are not UTF-8 (${broken}); they are shown as \ufffd. Save it as UTF-8.`,
    hidden > 0 && `\`${path}\` has characters that people cannot see or that turn text around (${hidden}).`,
  ].filter((warning) => warning !== false);
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

/** `bootstrapMaxChars` and `bootstrapTotalMaxChars`, in UTF-16 units. */
export interface BootstrapLimits {
  fileChars: number;
  totalChars: number;
}

export const BOOTSTRAP_LIMITS: BootstrapLimits = { fileChars: 20_000, totalChars: 60_000 };

/** Reserved for each following file, so that its name and a marker always fit. */
const RESERVED_CHARS = 160;

/** A file before it is cut: its text, the part of it that was read, or a marker in its place. */
export interface UncutFile extends Pick<BootstrapFile, "path" | "missing" | "warnings"> {
  text: Excerpt | string;
}

/**
 * Cuts files to the limits in order, with a reserve for later ones. A `BootstrapFile` that fits stays the same object.
 */
export function withinLimits(
  files: readonly (UncutFile | BootstrapFile)[],
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

function cut({ text, ...file }: UncutFile, max: number): BootstrapFile {
  const isMarker = typeof text === "string";
  const { content, truncated } = isMarker
    ? { content: text.slice(0, max), truncated: false }
    : truncate(text, max, file.path);
  return { ...file, content, rawChars: isMarker ? 0 : text.rawChars, injectedChars: content.length, truncated };
}

/** The cut text is a plugin's, so no marker names a file with the rest. */
function cutAgain(file: BootstrapFile, max: number): BootstrapFile {
  if (file.injectedChars <= max) return file;
  const { content } = truncate(makeExcerpt(file.content, max), max);
  return { ...file, content, injectedChars: content.length, truncated: true };
}

/** Lines of a HEARTBEAT.md without a task: headings, empty items, rules, and code fences. */
const NOTHING_TO_DO = [
  /^#+(?:\s|$)/,
  /^(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]?\])?$/,
  /^(?:-{3,}|\*{3,}|_{3,})$/,
  /^(?:```|~~~)\S*$/,
];

/** Whether a HEARTBEAT.md has no tasks: only headings, comments and empty list items. */
export function isEffectivelyEmpty(text: string): boolean {
  const lines = text.replace(/<!--[\s\S]*?(?:-->|$)/g, "").split(/\r\n?|\n/);
  return lines.every((line) => NOTHING_TO_DO.some((pattern) => pattern.test(line.trim())));
}
