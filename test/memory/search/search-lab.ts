import { env } from "cloudflare:test";
import { memorySearch } from "../../../src/config/memory-schema.ts";
import type { MemorySource } from "../../../src/memory/agent-memory.ts";
import type { SearchDeps } from "../../../src/memory/search/search-memory.ts";
import { type Chunking, chunkText } from "../../../src/memory/text/chunk.ts";
import { indexedPathTerms, indexedTerms } from "../../../src/memory/text/terms.ts";

/** Settings with defaults for all others. */
export function settingsOf(written: Parameters<typeof memorySearch.parse>[0] = {}): SearchDeps["settings"] {
  return memorySearch.parse(written);
}

/** Dependencies of a search by words, with an index that is up to date. */
export function searchDeps(agentId: string, deps: Partial<SearchDeps> = {}): SearchDeps {
  return {
    database: env.MEMORY,
    agentId,
    settings: settingsOf(),
    now: () => Date.UTC(2026, 10, 1),
    freshen: async () => false,
    vectorSearch: undefined,
    ...deps,
  };
}

/** A file of a memory. */
export interface Note {
  path: string;
  text: string;
  source?: MemorySource;
  state?: "building" | "live" | "dead";
}

/** Adds files to an agent's index and returns the ids of their chunks by path. */
export async function indexNotes(
  agentId: string,
  notes: readonly Note[],
  chunking: Chunking = { tokens: 400, overlap: 80 },
): Promise<Map<string, number[]>> {
  await env.MEMORY.prepare("INSERT OR IGNORE INTO meta (agent_id, compared_at) VALUES (?, 1)").bind(agentId).run();
  const memory = await env.MEMORY.prepare("SELECT id FROM meta WHERE agent_id = ?")
    .bind(agentId)
    .first<{ id: number }>();
  const ids = new Map<string, number[]>();
  for (const { path, text, source = "memory", state = "live" } of notes) {
    const file = await env.MEMORY.prepare(
      `INSERT INTO files (memory_id, path, source, etag, size, modified_at, state, chunks, indexed_at, generation)
       VALUES (?, ?, ?, 'etag', 0, 0, ?, 0, 0, 1) RETURNING id`,
    )
      .bind(memory?.id, path, source, state)
      .first<{ id: number }>();
    const chunks = [...chunkText(text, chunking)];
    const inserted = [];
    for (const { startLine, endLine, text: piece } of chunks) {
      const chunk = await env.MEMORY.prepare(
        "INSERT INTO chunks (file_id, start_line, end_line, hash, text) VALUES (?, ?, ?, '', ?) RETURNING id",
      )
        .bind(file?.id, startLine, endLine, piece)
        .first<{ id: number }>();
      await env.MEMORY.prepare("INSERT INTO chunk_terms (rowid, terms, place) VALUES (?, ?, ?)")
        .bind(chunk?.id, indexedTerms(memory?.id ?? 0, piece), indexedPathTerms(memory?.id ?? 0, path))
        .run();
      inserted.push(chunk?.id ?? 0);
    }
    ids.set(path, inserted);
    const counted = state === "live" ? chunks.length : 0;
    await env.MEMORY.prepare("UPDATE meta SET files = files + ?, chunks = chunks + ? WHERE agent_id = ?")
      .bind(Math.sign(counted), counted, agentId)
      .run();
  }
  return ids;
}
