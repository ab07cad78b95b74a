import type { SearchAnswer, SearchRequest } from "../agent-memory.ts";
import type { MemorySource } from "../memory-source.ts";
import { termsOf } from "../text/index-terms.ts";
import type { Hit } from "./hit.ts";
import type { SearchRoom } from "./search-room.ts";

interface Row {
  path: string;
  source: MemorySource;
  startLine: number;
  endLine: number;
  text: string;
}

/** Looks for passages that answer a query. */
export async function searchMemory(room: SearchRoom, request: SearchRequest): Promise<SearchAnswer> {
  const state = await room.database
    .prepare(
      `SELECT id, files, chunks, compared_at AS comparedAt,
         (SELECT count(*) FROM changes WHERE agent_id = meta.agent_id) AS pending FROM meta WHERE agent_id = ?`,
    )
    .bind(room.agentId)
    .first<{ id: number; files: number; chunks: number; comparedAt: number | null; pending: number }>();
  await room.freshen({ pending: state?.pending ?? 0, comparedAt: state?.comparedAt ?? null });
  const index = { files: state?.files ?? 0, chunks: state?.chunks ?? 0, pending: state?.pending ?? 0 };
  const match = state === null ? "" : termsOf(state.id, request.query);
  if (match === "") return { results: [], mode: "keywords", index };
  const { results } = await room.database
    .prepare(
      `SELECT files.path, files.source, chunks.start_line AS startLine, chunks.end_line AS endLine, chunks.text
       FROM chunk_terms CROSS JOIN chunks ON chunks.id = chunk_terms.rowid
       CROSS JOIN files ON files.id = chunks.file_id AND files.state = 'live'
       WHERE chunk_terms MATCH ? ORDER BY rank LIMIT ?`,
    )
    .bind(
      match
        .split(" ")
        .map((term) => `"${term}"`)
        .join(" OR "),
      request.maxResults ?? room.settings.query.maxResults,
    )
    .all<Row>();
  return { results: results.map(hitOf), mode: "keywords", index };
}

function hitOf({ path, source, startLine, endLine, text }: Row, at: number): Hit {
  const keyword = { rank: at + 1, score: 1 / (at + 1), terms: [] };
  const citation = `${path}#L${startLine}-L${endLine}`;
  const reason = { legs: "keyword", keyword, boosts: [] } as const;
  return {
    path,
    source,
    startLine,
    endLine,
    score: keyword.score,
    snippet: text,
    citation,
    reason: { ...reason, boosts: [] },
  };
}
