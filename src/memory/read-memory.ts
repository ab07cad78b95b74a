import { wholeHead } from "../lib/text.ts";
import { resolvePath, visible } from "../workspace/paths.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import { MemoryError, type MemoryPassage, type ReadRequest, type Visibility } from "./agent-memory.ts";
import type { DocumentStore, DocumentText } from "./document-store.ts";

/** Dependencies of `readMemory`. */
export interface ReadDeps {
  stores: readonly DocumentStore[];
  /** What the caller may see; default: everything. */
  visibility?: Visibility | undefined;
  limits: {
    /** Default number of lines. */
    lines: number;
    maxChars: number;
  };
}

const DAILY_NOTE = /^memory\/\d{4}-\d{2}-\d{2}\b/i;

/** Reads lines of a document of memory. @throws MemoryError */
export async function readMemory(deps: ReadDeps, request: ReadRequest): Promise<MemoryPassage> {
  const path = parsePath(request.path);
  const store = deps.stores.find(({ covers }) => covers(path));
  if (store === undefined || deps.visibility?.mayShow(path) === false) {
    throw new MemoryError("bad_path", `${visible(path)} is no file of this memory.`);
  }
  const { document, text, warning } = await readDocument(store, path);
  if (text === "" && warning !== undefined) {
    throw new MemoryError("not_text", `${visible(path)} cannot be read. ${warning}`);
  }
  const { from = 1, lines = deps.limits.lines } = request;
  const passage = linesFrom(text, { from, lines, maxChars: deps.limits.maxChars });
  return { path: document.path, source: document.source, ...passage };
}

/** @throws MemoryError `bad_path` */
function parsePath(typed: string): string {
  try {
    return resolvePath(typed);
  } catch (thrown) {
    if (!(thrown instanceof WorkspaceError)) throw thrown;
    throw new MemoryError("bad_path", thrown.message);
  }
}

/** @throws MemoryError `not_found`, `unavailable` */
async function readDocument(store: DocumentStore, path: string): Promise<DocumentText> {
  const found = await store.read(path).catch((thrown: unknown) => {
    throw new MemoryError("unavailable", `${visible(path)} cannot be read now.`, { cause: thrown });
  });
  if (found !== undefined) return found;
  const what = DAILY_NOTE.test(path) ? "Nothing was noted on that day" : "It does not exist";
  throw new MemoryError("not_found", `${what}: there is no file ${visible(path)}.`);
}

/** A range of lines and a limit of characters. */
export interface LineRange {
  /** From 1. */
  from: number;
  lines: number;
  maxChars: number;
}

/**
 * As many whole lines of a range as fit. If the first line alone does not fit, its beginning. Nothing after the end.
 */
export function linesFrom(text: string, { from, lines, maxChars }: LineRange): Omit<MemoryPassage, "path" | "source"> {
  const all = splitLines(text);
  const totalLines = all.length;
  const wanted = all.slice(from - 1, from - 1 + lines);
  const [first] = wanted;
  if (first === undefined) return { text: "", startLine: 0, endLine: 0, totalLines };
  const shown = leadingLines(wanted, maxChars);
  const endLine = from - 1 + Math.max(1, shown.length);
  const next = endLine < totalLines ? { next: endLine + 1 } : {};
  if (shown.length > 0) return { text: shown.join("\n"), startLine: from, endLine, totalLines, ...next };
  return { text: wholeHead(first, maxChars), startLine: from, endLine, totalLines, isCut: true, ...next };
}

/** A line feed at the end of a text ends its last line and does not start another. */
function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function leadingLines(lines: readonly string[], maxChars: number): string[] {
  let left = maxChars + 1;
  const end = lines.findIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  return end === -1 ? [...lines] : lines.slice(0, end);
}
