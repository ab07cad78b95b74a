import { decodeText, encodingOf, type TextFaults } from "../../workspace/decode-text.ts";
import { composed } from "../../workspace/spelling.ts";
import { type Workspace, WorkspaceError, type WorkspaceFile } from "../../workspace/workspace.ts";
import type { Document, DocumentStore, DocumentText } from "../document-store.ts";
import { isMemoryFolder, memoryPlaces, type PathSettings } from "../memory-paths.ts";

/** Files of one memory; of more files, the first by path. */
const MAX_FILES = 20_000;

/** The memory files of a workspace. Costs one store operation for 1,000 entries and one for each extra path. */
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
      for (const file of await listFiles(
        workspace,
        places.extra.map(({ folder }) => folder),
      )) {
        if (places.covers(file.path)) documents.set(composed(file.path), toDocument(file));
      }
      return [...documents.values()].sort(byPath).slice(0, MAX_FILES);
    },
    async stat(path) {
      const file = places.covers(path) ? await ifFound(workspace.stat(path)) : undefined;
      return file && toDocument(file);
    },
    async read(path) {
      try {
        const content = places.covers(path) ? await ifFound(workspace.read(path)) : undefined;
        return content && readText(content.file, content.bytes);
      } catch (thrown) {
        const isTooLarge = thrown instanceof WorkspaceError && thrown.code === "too_large";
        const file = isTooLarge ? await ifFound(workspace.stat(path)) : undefined;
        if (file === undefined) throw thrown;
        return { document: toDocument(file), text: "", warning: `It has ${file.size} bytes, more than is read.` };
      }
    },
  };
}

/** Files in the root, in `memory/` and at extra paths, each of which may be a file itself. */
async function listFiles(
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
      const file = files.length === 0 ? await ifFound(workspace.stat(folder)) : undefined;
      return file === undefined ? files : [file];
    }),
  );
  return [...root.filter((entry) => entry.kind === "file"), ...found.flat()];
}

/** Returns undefined if nothing is at a path, or nothing can be. */
async function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && ["not_found", "bad_path"].includes(thrown.code)) return undefined;
    throw thrown;
  }
}

function toDocument({ path, etag, size, modifiedAt }: WorkspaceFile): Document {
  return { path: composed(path), source: "memory", etag, size, modifiedAt };
}

function readText(file: WorkspaceFile, bytes: Uint8Array): DocumentText {
  const document = toDocument(file);
  const decoded = decodeText({ bytes, offset: 0, isEnd: true }, encodingOf(bytes));
  if (decoded.kind === "binary") return { document, text: "", warning: BINARY_WARNINGS[decoded.why] };
  const warning = faultWarning(decoded.faults);
  return { document, text: decoded.text, ...(warning !== undefined && { warning }) };
}

const BINARY_WARNINGS = {
  encoding: "It is not text in UTF-8, or in UTF-16 with a byte order mark.",
  controls: "It is full of control characters, so it is not text.",
} as const;

/** Control characters need no warning: they are shown as pictures and hide no word. */
function faultWarning({ broken }: TextFaults): string | undefined {
  return broken === 0 ? undefined : `Its bytes are not text in ${broken} places: words there are not found.`;
}

function byPath(a: Document, b: Document): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
