import { messageOf } from "../../lib/errors.ts";
import { MemoryError, type MemorySource } from "../agent-memory.ts";
import { indexedForm, indexTerm } from "../text/terms.ts";
import type { Match } from "./match-expression.ts";

/** Changed files that are counted. */
const MAX_PENDING = 1_000;
/** Terms of the vocabulary that a misspelt word is compared with. */
const MAX_SIMILAR = 2_000;
/** Newest chunks that a wide expression ranks. They are read twice, to find and to rank them. */
const MAX_WIDE_MATCHES = 800;

/** The size and age of an index. */
export interface IndexSummary {
  memoryId: number;
  files: number;
  chunks: number;
  comparedAt: number | null;
  pending: number;
  /** The number of chunks with each of the given terms. */
  chunksWith: ReadonlyMap<string, number>;
}

const STATE = `SELECT id AS memoryId, files, chunks, compared_at AS comparedAt, max(pending,
  (SELECT count(*) FROM (SELECT 1 FROM changes WHERE agent_id = ?1 LIMIT ${MAX_PENDING}))) AS pending
  FROM meta WHERE agent_id = ?1`;
const COUNTS = `SELECT asked.value AS form, chunk_vocab.doc FROM meta
  CROSS JOIN json_each(?2) AS asked CROSS JOIN chunk_vocab
  WHERE meta.agent_id = ?1 AND chunk_vocab.term = meta.id || 'a' || asked.value`;

/**
 * Reads the size of an agent's index and the frequency of terms in one round trip; undefined without an index.
 * @throws MemoryError `unavailable`
 */
export async function readSummary(
  database: D1Database,
  agentId: string,
  terms: readonly string[],
): Promise<IndexSummary | undefined> {
  const forms = new Map(terms.map((term) => [indexedForm(term), term]));
  const [states, counts] = await orUnavailable(
    database.batch<Record<string, unknown>>([
      database.prepare(STATE).bind(agentId),
      database.prepare(COUNTS).bind(agentId, JSON.stringify([...forms.keys()])),
    ]),
  );
  const state = states?.results[0] as Omit<IndexSummary, "chunksWith"> | undefined;
  if (state === undefined) return undefined;
  const rows = (counts?.results ?? []) as { form: string; doc: number }[];
  return { ...state, chunksWith: new Map(rows.map(({ form, doc }) => [forms.get(form) ?? form, doc])) };
}

const LIKE_TERMS = `SELECT term, doc FROM chunk_vocab WHERE term >= ?1 AND term < ?1 || char(0x10ffff) LIMIT ${MAX_SIMILAR}`;

/**
 * Reads the terms of an index that begin like a word, with the number of chunks with them, in one round trip.
 * @param beginnings the first letters of words
 * @throws MemoryError `unavailable`
 */
export async function readTermsLike(
  database: D1Database,
  memoryId: number,
  beginnings: readonly string[],
): Promise<{ term: string; chunks: number }[]> {
  const prefix = indexTerm(memoryId, "");
  const found = await orUnavailable(
    database.batch<{ term: string; doc: number }>(
      beginnings.map((beginning) => database.prepare(LIKE_TERMS).bind(`${prefix}${beginning}`)),
    ),
  );
  return found.flatMap(({ results }) =>
    results.map(({ term, doc }) => ({ term: term.slice(prefix.length), chunks: doc })),
  );
}

/** A chunk found by words or by its vector. */
export interface Candidate {
  chunkId: number;
  path: string;
  source: MemorySource;
  /** 1 is the first line of the file. */
  startLine: number;
  /** Its text, from `startLine` on. */
  text: string;
  /** Its rank by words, from 1; `bm25` is positive, larger is better. */
  keyword?: { rank: number; bm25: number };
  /** Its rank by vector, from 1, and cosine. */
  vector?: { rank: number; similarity: number };
}

/** A query for candidates. */
export interface CandidateQuery {
  memoryId: number;
  /** Undefined if no words are searched. */
  match: Match | undefined;
  /** The nearest chunks, best first, with their cosines. */
  near: ReadonlyMap<number, number>;
  sources: readonly MemorySource[];
  /** The only folder of transcripts to search; undefined for all. */
  transcripts: string | undefined;
  /** Maximum candidates by words. */
  count: number;
}

type Row = Omit<Candidate, "keyword" | "vector"> & { bm25: number };

const CHUNK = `chunks.id AS chunkId, files.path, files.source, chunks.start_line AS startLine, chunks.text`;
const LIVE = `CROSS JOIN files ON files.id = chunks.file_id AND files.state = 'live'
  AND files.source IN (SELECT value FROM json_each(?2))
  AND (files.source <> 'sessions' OR substr(files.path, 1, length(?4)) = ?4)`;
/** FTS5 returns its rows by rank, and SQLite stops after enough live ones. */
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
 * Reads the chunks that match the words, best first, then the other near ones, in one round trip.
 * @throws MemoryError `unavailable`
 */
export async function readCandidates(
  database: D1Database,
  { memoryId, match, near, sources, transcripts = "", count }: CandidateQuery,
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
  const found = await orUnavailable(database.batch<Row>(statements));
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

async function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw new MemoryError("unavailable", `The index of memory does not answer: ${messageOf(error)}`);
  }
}
