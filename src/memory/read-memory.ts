import { resolvePath, visible } from "../workspace/paths.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import { MemoryError, type MemoryPassage, type ReadRequest } from "./agent-memory.ts";
import { passageOf } from "./passage.ts";
import type { Sight } from "./search/search-room.ts";
import type { DocumentStore, DocumentText } from "./sync/document-store.ts";

/** What reading memory works with. */
export interface ReadRoom {
  stores: readonly DocumentStore[];
  /** What whoever asks may see; all where it is absent. */
  sight?: Sight | undefined;
  limits: {
    /** Lines that are given where nobody says how many. */
    lines: number;
    maxChars: number;
  };
}

const DAILY_NOTE = /^memory\/\d{4}-\d{2}-\d{2}\b/i;

/** Lines of a document of memory, and of nothing else. @throws MemoryError */
export async function readMemory(room: ReadRoom, request: ReadRequest): Promise<MemoryPassage> {
  const path = pathOf(request.path);
  const store = room.stores.find(({ covers }) => covers(path));
  if (store === undefined || room.sight?.mayShow(path) === false) {
    throw new MemoryError("bad_path", `${visible(path)} is no file of this memory.`);
  }
  const { document, text, warning } = await documentAt(store, path);
  if (text === "" && warning !== undefined) {
    throw new MemoryError("not_text", `${visible(path)} cannot be read. ${warning}`);
  }
  const { from = 1, lines = room.limits.lines } = request;
  const passage = passageOf(text, { from, lines, maxChars: room.limits.maxChars });
  return { path: document.path, source: document.source, ...passage };
}

/** @throws MemoryError `bad_path` */
function pathOf(typed: string): string {
  try {
    return resolvePath(typed);
  } catch (thrown) {
    if (!(thrown instanceof WorkspaceError)) throw thrown;
    throw new MemoryError("bad_path", thrown.message);
  }
}

/** @throws MemoryError `not_found`, `unavailable` */
async function documentAt(store: DocumentStore, path: string): Promise<DocumentText> {
  const found = await store.read(path).catch((thrown: unknown) => {
    throw new MemoryError("unavailable", `${visible(path)} cannot be read now.`, { cause: thrown });
  });
  if (found !== undefined) return found;
  const what = DAILY_NOTE.test(path) ? "Nothing was noted on that day" : "It is not there (any more)";
  throw new MemoryError("not_found", `${what}: there is no file ${visible(path)}.`);
}
