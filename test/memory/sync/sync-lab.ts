import { expect } from "vitest";
import type { PathSettings } from "../../../src/memory/memory-paths.ts";
import { noteChange } from "../../../src/memory/store/changes.ts";
import { fileStatus } from "../../../src/memory/store/read-index.ts";
import { type InlineLimits, indexChanged } from "../../../src/memory/sync/index-changed.ts";
import type { SyncDeps } from "../../../src/memory/sync/index-documents.ts";
import { type SyncOptions, syncFiles } from "../../../src/memory/sync/sync-files.ts";
import { workspaceDocuments } from "../../../src/memory/sync/workspace-documents.ts";
import { chunkText } from "../../../src/memory/text/chunk.ts";
import { indexedTerms } from "../../../src/memory/text/terms.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";

export const CHUNKING = { tokens: 50, overlap: 10 };
const PATHS: PathSettings = { sources: ["memory"], extraPaths: [] };

let agents = 0;
let tokens = 0;

/** An index of a new agent in the real D1, with a new workspace in the real R2 and its own clock. */
export function openIndex(database: D1Database) {
  const agentId = `indexed-${++agents}`;
  const workspace = openWorkspace({ agentId });
  const clock = { now: Date.parse("2026-11-22T00:00:00Z") };
  const forgotten = new Set<number>();
  const deps: SyncDeps = {
    database,
    agentId,
    settings: { chunking: CHUNKING },
    stores: [workspaceDocuments(workspace, PATHS)],
    removeVectors: async (ids) => {
      for (const id of ids) forgotten.add(id);
    },
    now: () => clock.now,
  };
  return {
    agentId,
    prefix: `agents/${agentId}/workspace/`,
    workspace,
    clock,
    deps,
    forgotten,
    /** Writes a file and notes the change, as a tool does. */
    async write(path: string, text: string | Uint8Array) {
      await workspace.write(path, text, { kind: "any" });
      await noteChange(database, agentId, path, `token-${++tokens}`, clock.now);
    },
    async remove(path: string) {
      await workspace.remove(path, { kind: "any" });
      await noteChange(database, agentId, path, `token-${++tokens}`, clock.now);
    },
    indexChanged: (limits?: InlineLimits, other: Partial<SyncDeps> = {}) => indexChanged({ ...deps, ...other }, limits),
    sync: (more: Partial<SyncOptions> = {}, other: Partial<SyncDeps> = {}) =>
      syncFiles({ ...deps, ...other }, { force: false, budgetMs: 60_000, ...more }),
    status: () => fileStatus(database, agentId, clock.now),
    rows: () => rowsOf(database, agentId),
    find: (text: string) => find(database, agentId, text),
  };
}

export interface LiveRow {
  fileId: number;
  path: string;
  chunkId: number | null;
  startLine: number;
  endLine: number;
  text: string;
}

/** The live chunks by path and line; a file without chunks is one row. */
async function rowsOf(database: D1Database, agentId: string): Promise<LiveRow[]> {
  const { results } = await database
    .prepare(
      `SELECT files.id AS fileId, path, chunks.id AS chunkId, start_line AS startLine, end_line AS endLine, text
     FROM meta JOIN files ON memory_id = meta.id LEFT JOIN chunks ON file_id = files.id
     WHERE agent_id = ? AND state = 'live' ORDER BY path, start_line, chunks.id`,
    )
    .bind(agentId)
    .all<LiveRow>();
  return results;
}

/** The paths of live files with a word, one for each chunk that FTS5 finds. */
async function find(database: D1Database, agentId: string, text: string): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT path FROM chunk_terms JOIN chunks ON chunks.id = chunk_terms.rowid
     JOIN files ON files.id = file_id AND state = 'live' WHERE chunk_terms MATCH ? ORDER BY path`,
    )
    .bind(await matchOf(database, agentId, text))
    .all<{ path: string }>();
  return results.map(({ path }) => path);
}

async function matchOf(database: D1Database, agentId: string, text: string): Promise<string> {
  const row = await database.prepare("SELECT id FROM meta WHERE agent_id = ?").bind(agentId).first<{ id: number }>();
  return `terms : "${indexedTerms(row?.id ?? 0, text)}"`;
}

/** Expects that the index matches the files and has nothing else, after a complete update. */
export async function expectConsistent(lab: ReturnType<typeof openIndex>, files: Record<string, string>) {
  const rows = await lab.rows();
  const byPath = Map.groupBy(rows, ({ path }) => path);
  expect([...byPath.keys()].sort()).toEqual(Object.keys(files).sort());
  for (const [path, text] of Object.entries(files)) {
    const there = (byPath.get(path) ?? []).filter(({ chunkId }) => chunkId !== null);
    const wanted = [...chunkText(text, lab.deps.settings.chunking)];
    const shape = ({ startLine, endLine, text }: Pick<LiveRow, "startLine" | "endLine" | "text">) => [
      startLine,
      endLine,
      text,
    ];
    expect(there.map(shape).sort(byJson)).toEqual(wanted.map(shape).sort(byJson));
    expect(new Set(byPath.get(path)?.map(({ fileId }) => fileId)).size).toBe(1);
  }
  const chunks = rows.flatMap(({ chunkId }) => chunkId ?? []);
  expect(await lab.status()).toMatchObject({
    files: byPath.size,
    chunks: chunks.length,
    pending: 0,
    busy: false,
    failure: null,
  });
  expect(await storedOf(lab.deps.database, lab.agentId)).toEqual({
    files: byPath.size,
    chunks: chunks.sort((a, b) => a - b),
    terms: chunks,
    gone: 0,
  });
}

/** All rows of an agent, searched or not. */
async function storedOf(database: D1Database, agentId: string) {
  const all = async (sql: string, bound: unknown) => {
    const { results } = await database.prepare(sql).bind(bound).all<{ id: number }>();
    return results.map(({ id }) => id);
  };
  const memory = await database.prepare("SELECT id FROM meta WHERE agent_id = ?").bind(agentId).first<{ id: number }>();
  const files = await all("SELECT id FROM files WHERE memory_id = ?", memory?.id);
  const ofFiles = "SELECT id FROM chunks WHERE file_id IN (SELECT id FROM files WHERE memory_id = ?) ORDER BY id";
  const gone = await all("SELECT id FROM gone WHERE memory_id = ?", memory?.id);
  // All terms of an agent begin with its id.
  const match = `"${memory?.id}a" *`;
  const terms = await all("SELECT rowid AS id FROM chunk_terms WHERE chunk_terms MATCH ? ORDER BY rowid", match);
  return { files: files.length, chunks: await all(ofFiles, memory?.id), terms, gone: gone.length };
}

function byJson(a: unknown, b: unknown): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A text with a unique word in each line. */
export function note(name: string, lines: number): string {
  return Array.from({ length: lines }, (_, i) => `${name}x${i} was seen in the garden again`).join("\n");
}

/** Expected texts of a workspace, by path. */
export async function textsOf(workspace: Workspace): Promise<Record<string, string>> {
  const files = await workspace.walk("");
  const texts = files.map(async ({ path }) => [path, new TextDecoder().decode((await workspace.read(path)).bytes)]);
  return Object.fromEntries(await Promise.all(texts));
}
