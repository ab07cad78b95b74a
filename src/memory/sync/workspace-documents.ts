import { decodeText, detectEncoding, type TextFaults } from "../../workspace/decode-text.ts";
import { composed } from "../../workspace/spelling.ts";
import { type Workspace, WorkspaceError, type WorkspaceFile } from "../../workspace/workspace.ts";
import { isMemoryFolder, memoryPlaces, type PathSettings } from "../memory-paths.ts";
import type { Document, DocumentStore, DocumentText } from "./document-store.ts";

/** Most files of one memory; of more, those that come first by path. */
const MAX_FILES = 20_000;

/** The memory files of a workspace, with their accents composed. One store operation for 1,000 entries, and for each extra path. */
export function workspaceDocuments(
  workspace: Pick<Workspace, "list" | "walk" | "stat" | "read">,
  settings: PathSettings,
): DocumentStore {
  const places = memoryPlaces(settings);
  return {
    source: "memory",
    covers: (path) => places.covers(path),
    async list() {
      const documents = new Map<string, Document>();
      for (const file of await filesOf(
        workspace,
        places.extra.map(({ folder }) => folder),
      )) {
        if (places.covers(file.path)) documents.set(composed(file.path), documentOf(file));
      }
      return [...documents.values()].sort(byPath).slice(0, MAX_FILES);
    },
    async stat(path) {
      const file = places.covers(path) ? await there(workspace.stat(path)) : undefined;
      return file && documentOf(file);
    },
    async read(path) {
      try {
        const content = places.covers(path) ? await there(workspace.read(path)) : undefined;
        return content && textOf(content.file, content.bytes);
      } catch (thrown) {
        const isTooLarge = thrown instanceof WorkspaceError && thrown.code === "too_large";
        const file = isTooLarge ? await there(workspace.stat(path)) : undefined;
        if (file === undefined) throw thrown;
        return { document: documentOf(file), text: "", warning: `It has ${file.size} bytes, more than is read.` };
      }
    },
  };
}

/** What is in the root, in `memory/`, and in other places, each of which may be a file itself. */
async function filesOf(
  workspace: Pick<Workspace, "list" | "walk" | "stat">,
  extra: readonly string[],
): Promise<WorkspaceFile[]> {
  if (extra.includes("")) return workspace.walk("");
  const root = await workspace.list("");
  const usual = root.flatMap(({ kind, path }) => (kind === "folder" && isMemoryFolder(path) ? [path] : []));
  const folders = [...new Set([...usual, ...extra])].filter(
    (folder, _, all) => !all.some((other) => folder.startsWith(`${other}/`)),
  );
  const found = await Promise.all(
    folders.map(async (folder) => {
      const files = await workspace.walk(folder);
      const file = files.length === 0 ? await there(workspace.stat(folder)) : undefined;
      return file === undefined ? files : [file];
    }),
  );
  return [...root.filter((entry) => entry.kind === "file"), ...found.flat()];
}

/** What a verb gives; undefined where nothing is there, or nothing can be. */
async function there<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && ["not_found", "bad_path"].includes(thrown.code)) return undefined;
    throw thrown;
  }
}

function documentOf({ path, etag, size, modifiedAt }: WorkspaceFile): Document {
  return { path: composed(path), source: "memory", etag, size, modifiedAt };
}

function textOf(file: WorkspaceFile, bytes: Uint8Array): DocumentText {
  const document = documentOf(file);
  const decoded = decodeText({ bytes, offset: 0, isEnd: true }, detectEncoding(bytes));
  if (decoded.kind === "binary") return { document, text: "", warning: NO_TEXT[decoded.why] };
  const warning = warningOf(decoded.faults);
  return { document, text: decoded.text, ...(warning !== undefined && { warning }) };
}

const NO_TEXT = {
  encoding: "It is no text in UTF-8, nor one in UTF-16 with a byte order mark.",
  controls: "It is full of control characters, and so no text.",
} as const;

/** Control characters are shown as pictures, and hide no word. */
function warningOf({ broken }: TextFaults): string | undefined {
  return broken === 0 ? undefined : `In ${broken} places its bytes are no text: words there are not found.`;
}

function byPath(a: Document, b: Document): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
