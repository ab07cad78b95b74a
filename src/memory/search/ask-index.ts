import { messageOf } from "../../lib/errors.ts";
import { MemoryError } from "../agent-memory.ts";
import type { MemorySource } from "../memory-source.ts";
import { indexedForm } from "../text/index-terms.ts";
import type { Candidate } from "./hit.ts";
import type { Match } from "./match-expression.ts";

/** Most files that are counted as changed: more are many. */
const MAX_PENDING = 1_000;
/** Most chunks that are looked at where an expression is wide: the newest. They are read twice, to find them and to rank them. */
const MAX_WIDE_MATCHES = 800;

/** What an index says of itself. */
export interface IndexState {
  memoryId: number;
  files: number;
  chunks: number;
  comparedAt: number | null;
  pending: number;
  /** How many chunks have a term, for those that were asked about. */
  chunksWith: ReadonlyMap<string, number>;
}

const STATE = `SELECT id AS memoryId, files, chunks, compared_at AS comparedAt, max(pending,
  (SELECT count(*) FROM (SELECT 1 FROM changes WHERE agent_id = ?1 LIMIT ${MAX_PENDING}))) AS pending
  FROM meta WHERE agent_id = ?1`;
const COUNTS = `SELECT asked.value AS form, chunk_vocab.doc FROM meta
  CROSS JOIN json_each(?2) AS asked CROSS JOIN chunk_vocab
  WHERE meta.agent_id = ?1 AND chunk_vocab.term = meta.id || 'a' || asked.value`;

/**
 * The state of an agent's index, and how frequent some terms are in it; undefined where there is none. One round trip.
 * @throws MemoryError `unavailable`
 */
export async function readState(
  database: D1Database,
  agentId: string,
  terms: readonly string[],
): Promise<IndexState | undefined> {
  const forms = new Map(terms.map((term) => [indexedForm(term), term]));
  const [states, counts] = await answers(
    database.batch<Record<string, unknown>>([
      database.prepare(STATE).bind(agentId),
      database.prepare(COUNTS).bind(agentId, JSON.stringify([...forms.keys()])),
    ]),
  );
  const state = states?.results[0] as Omit<IndexState, "chunksWith"> | undefined;
  if (state === undefined) return undefined;
  const rows = (counts?.results ?? []) as { form: string; doc: number }[];
  return { ...state, chunksWith: new Map(rows.map(({ form, doc }) => [forms.get(form) ?? form, doc])) };
}

/** What candidates are looked for with. */
export interface Wanted {
  memoryId: number;
  /** Undefined where no words are looked for. */
  match: Match | undefined;
  /** The chunks that are near, best first, with their cosines. */
  near: ReadonlyMap<number, number>;
  sources: readonly MemorySource[];
  /** The only folder of transcripts that is looked in; undefined for all. */
  transcripts: string | undefined;
  /** Most candidates of each leg. */
  count: number;
}

type Row = Omit<Candidate, "keyword" | "vector"> & { bm25: number };

const CHUNK = `chunks.id AS chunkId, files.path, files.source, chunks.start_line AS startLine, chunks.text`;
const LIVE = `CROSS JOIN files ON files.id = chunks.file_id AND files.state = 'live'
  AND files.source IN (SELECT value FROM json_each(?2))
  AND (files.source <> 'sessions' OR substr(files.path, 1, length(?4)) = ?4)`;
/** FTS5 gives its rows by rank, and is asked for no more when enough of them were live. */
const BEST = `SELECT ${CHUNK}, -chunk_terms.rank AS bm25
  FROM chunk_terms CROSS JOIN chunks ON chunks.id = chunk_terms.rowid ${LIVE}
  WHERE chunk_terms MATCH ?1 ORDER BY chunk_terms.rank LIMIT ?3`;
const BEST_OF_NEWEST = BEST.replace(
  "MATCH ?1",
  `MATCH ?1 AND chunk_terms.rowid >= coalesce((SELECT rowid FROM chunk_terms WHERE chunk_terms MATCH ?1
    ORDER BY rowid DESC LIMIT 1 OFFSET ${MAX_WIDE_MATCHES}), 0)`,
);
const NEAR = `SELECT ${CHUNK}, 0 AS bm25
  FROM json_each(?1) AS near CROSS JOIN chunks ON chunks.id = near.value ${LIVE} WHERE files.memory_id = ?3`;

/**
 * The chunks that share words with a query, best first, and those that are near and do not. One round trip.
 * @throws MemoryError `unavailable`
 */
export async function readCandidates(
  database: D1Database,
  { memoryId, match, near, sources, transcripts = "", count }: Wanted,
): Promise<Candidate[]> {
  const places = JSON.stringify(sources);
  const statements = [
    ...(match === undefined
      ? []
      : [database.prepare(match.isWide ? BEST_OF_NEWEST : BEST).bind(match.expression, places, count, transcripts)]),
    ...(near.size === 0
      ? []
      : [database.prepare(NEAR).bind(JSON.stringify([...near.keys()]), places, memoryId, transcripts)]),
  ];
  if (statements.length === 0) return [];
  const found = await answers(database.batch<Row>(statements));
  const byWords = match === undefined ? [] : (found[0]?.results ?? []);
  const byNearness = near.size === 0 ? [] : (found.at(-1)?.results ?? []);
  const ranks = new Map([...near.keys()].map((id, at) => [id, at + 1]));
  const candidates = new Map<number, Candidate>();
  for (const [at, { bm25, ...chunk }] of byWords.entries()) {
    candidates.set(chunk.chunkId, { ...chunk, keyword: { rank: at + 1, bm25 } });
  }
  for (const { bm25: _, ...chunk } of byNearness)
    candidates.set(chunk.chunkId, { ...chunk, ...candidates.get(chunk.chunkId) });
  for (const candidate of candidates.values()) {
    const similarity = near.get(candidate.chunkId);
    if (similarity !== undefined) candidate.vector = { rank: ranks.get(candidate.chunkId) ?? 0, similarity };
  }
  return [...candidates.values()];
}

async function answers<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw new MemoryError("unavailable", `The index of memory does not answer: ${messageOf(error)}`);
  }
}
