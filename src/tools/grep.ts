import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { OutsidePort } from "../security/from-outside.ts";
import { joinLabels, type Label } from "../security/labels.ts";
import type { FileLabels } from "../workspace/file-labels.ts";
import { mediaTypeForPath } from "../workspace/media-type.ts";
import { isPrivatePath } from "../workspace/private-paths.ts";
import { type Workspace, WorkspaceError, type WorkspaceFile } from "../workspace/workspace.ts";
import { type FoundFiles, filesBelow } from "./find.ts";
import { fenced, isLabelledLine, labelsOf } from "./labelled-text.ts";
import { type LineTest, lineTest, MAX_LINE_CHARS, searchLines } from "./line-search.ts";
import { addressIn, type Opening, openingsAt, type Resources } from "./resources.ts";

/** The most files that one call reads, the most bytes of one, and of all. */
const MAX_FILES = 300;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_TOTAL_BYTES = 8 * 1024 * 1024;
/** A Worker may have six open requests at once. */
const AT_ONCE = 6;
const MAX_MATCHES = 100;
const MAX_CONTEXT = 5;

/** Media types that are not text; such files are not read. */
const BINARY = /^(?:image\/(?!svg)|audio\/|video\/|application\/(?:pdf|zip|gzip|vnd\.))/;

const parameters = z.strictObject({
  pattern: z.string().describe("Regular expression (RE2), looked for in each line"),
  path: z.string().optional().describe("File or folder, the root where absent; or docs://"),
  glob: z.string().optional().describe("Only files that match it, such as *.md"),
  ignoreCase: z.boolean().optional(),
  literal: z.boolean().optional().describe("The pattern is text"),
  context: z.int().min(0).max(MAX_CONTEXT).optional().describe("Lines to show around each match"),
  limit: z.int().min(1).max(MAX_MATCHES).optional().describe(`Most matches; ${MAX_MATCHES} where not given`),
});

/** Searches the contents of workspace files, or of pages outside of it. */
export function grepTool(
  workspace: Pick<Workspace, "walk" | "stat" | "read">,
  resources: Resources,
  outside: OutsidePort,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "grep",
    summary: "Search file contents for patterns",
    description:
      "Shows the lines of text files that match, with path and line number, and says what it did not search: a " +
      "narrower path or glob helps then.",
    parameters,
    replay: "safe",
    sequential: false,
    effects: ({ path = "" }) => (isPrivatePath(path) ? [{ kind: "read", what: path || "the workspace" }] : []),
    async run(
      { pattern, path = "", glob, ignoreCase = false, literal = false, context = 0, limit = MAX_MATCHES },
      call,
    ) {
      const test = lineTest(pattern, { literal, ignoreCase });
      const address = addressIn(path);
      const { sources, notes } =
        address === undefined
          ? fileSources(workspace, await filesBelow(workspace, path, glob))
          : pageSources(await openingsAt(resources, address));
      const shown: string[] = [];
      const labels: Label[] = [];
      let left = limit;
      for (let from = 0; from < sources.length && left > 0; from += AT_ONCE) {
        call.signal.throwIfAborted();
        const texts = await Promise.all(sources.slice(from, from + AT_ONCE).map((open) => open()));
        for (const text of texts) {
          const found = text === undefined || left === 0 ? undefined : search(text, test, context, left);
          if (found === undefined) continue;
          left -= found.found;
          const file = text?.labels;
          if (text === undefined || file === undefined || !found.lines.some((line) => isLabelledMatch(file, line))) {
            shown.push(...found.shown);
            continue;
          }
          const words = fenced(found.shown.join("\n"), labelsOf(text.path, file), outside);
          labels.push(...words.labels);
          shown.push(words.text);
        }
      }
      if (left === 0) notes.unshift(`The first ${limit} matches; there may be more.`);
      if (shown.length === 0) shown.push("(No line matches.)");
      const text = [...shown, ...notes.map((note) => `[${note}]`)].join("\n");
      return { text, ...(labels.length > 0 && { labels: joinLabels(labels) }) };
    },
  });
}

/** The texts to search, each opened when needed and undefined if it is not text; and notes about what is left out. */
interface SearchSources {
  sources: (() => Promise<FileText | undefined>)[];
  notes: string[];
}

function fileSources(workspace: Pick<Workspace, "read">, found: FoundFiles): SearchSources {
  const { chosen, notes } = choose(found.files);
  return { sources: chosen.map((file) => () => readText(workspace, file)), notes: [...notes, ...found.notes] };
}

function pageSources(openings: readonly Opening[]): SearchSources {
  const { chosen, notes } = choose(openings);
  return { sources: chosen.map((page) => () => pageText(page)), notes };
}

/** The files to read, and notes about the others. */
function choose<File extends { path: string; size: number }>(
  files: readonly File[],
): { chosen: File[]; notes: string[] } {
  const texts = files.filter(({ path }) => !BINARY.test(mediaTypeForPath(path)));
  const small = texts.filter(({ size }) => size <= MAX_FILE_BYTES);
  let bytes = 0;
  const fitting = small.findIndex(({ size }, i) => {
    bytes += size;
    return i === MAX_FILES || bytes > MAX_TOTAL_BYTES;
  });
  const chosen = fitting === -1 ? small : small.slice(0, fitting);
  const notes = [
    ...(texts.length > small.length ? [`Not searched: ${texts.length - small.length} files over 1 MiB.`] : []),
    ...(small.length > chosen.length
      ? [
          `Not searched: ${small.length - chosen.length} of ${small.length} files, from ${small[chosen.length]?.path} on.`,
        ]
      : []),
  ];
  return { chosen, notes };
}

interface FileText {
  path: string;
  text: string;
  labels?: FileLabels | undefined;
}

/** A line of a match, `12: text` or `13- text`. */
const MATCH_LINE = /^\d+[:-] ?/;

function isLabelledMatch(file: FileLabels, line: string): boolean {
  return line !== "--" && isLabelledLine(file, line.replace(MATCH_LINE, ""), line.length >= MAX_LINE_CHARS);
}

/** Undefined if the file is not text, or was deleted. */
async function readText(workspace: Pick<Workspace, "read">, { path }: WorkspaceFile): Promise<FileText | undefined> {
  try {
    const { file, bytes } = await workspace.read(path);
    const found = textIn(path, bytes);
    return found && { ...found, labels: file.labels };
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code !== "unavailable") return undefined;
    throw thrown;
  }
}

async function pageText({ path, open }: Opening): Promise<FileText | undefined> {
  const content = await open();
  return typeof content === "string" ? { path, text: content } : content && textIn(path, content);
}

function textIn(path: string, bytes: Uint8Array): FileText | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return text.includes("\0") ? undefined : { path, text };
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

function search({ path, text }: FileText, test: LineTest, context: number, max: number) {
  const { shown, found } = searchLines(text, test, context, max);
  return { lines: shown, shown: shown.map((line) => (line === "--" ? line : `${path}:${line}`)), found };
}
