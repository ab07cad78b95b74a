import { env } from "cloudflare:test";
import { and, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { memorySearch } from "../../../src/config/memory-schema.ts";
import { chunks, files, meta, spaces, vectors } from "../../../src/db/memory-schema.ts";
import { type Embedder, type EmbedderId, EmbedError } from "../../../src/memory/embed/embedder.ts";
import type { VectorDeps } from "../../../src/memory/vectors/vector-store.ts";
import { randomly, randomVector, unit } from "../random-vectors.ts";

let agents = 0;

/** An embedder that can fail. Texts are near if they share words; vectors of different models differ. */
export class WordEmbedder implements Embedder {
  readonly id: EmbedderId;
  readonly model: string;
  readonly dimensions: number;
  readonly sees = "meaning";
  readonly maxBatch = 16;
  /** The embedded texts of documents, in order. */
  readonly asked: string[] = [];
  /** The error of the next calls. */
  trouble: EmbedError | undefined;
  /** Called before each batch. */
  meanwhile: (() => Promise<unknown>) | undefined;

  constructor(id: EmbedderId, model = "words", dimensions = 64) {
    this.id = id;
    this.model = model;
    this.dimensions = dimensions;
  }

  get space(): string {
    return `${this.id}/${this.model}/${this.dimensions}`;
  }

  embed: Embedder["embed"] = async (texts, purpose) => {
    await this.meanwhile?.();
    if (this.trouble !== undefined) throw this.trouble;
    if (purpose === "document") this.asked.push(...texts);
    return texts.map((text) => this.vectorOf(text));
  };

  vectorOf(text: string): Float32Array {
    const sum = new Float32Array(this.dimensions);
    for (const word of text.toLowerCase().split(/\W+/)) {
      const direction = randomVector(randomly(seedOf(`${this.model} ${word}`)), this.dimensions);
      for (const [at, number] of direction.entries()) sum[at]! += number;
    }
    return unit(sum);
  }
}

function seedOf(word: string): number {
  return [...word].reduce((seed, letter) => (Math.imul(seed, 31) + letter.charCodeAt(0)) >>> 0, 7);
}

/** An error that needs a person, and a temporary one. */
export const NO_KEY = new EmbedError("auth", "openai rejects the key.");
export const OVERLOADED = new EmbedError("unavailable", "openai has too much to do.", 90_000);

/** Dependencies of a new agent's vectors in the real database, with a manual clock. */
export async function openVectors(settings: object = {}) {
  agents++;
  const agentId = `vectors-${agents}`;
  const db = drizzle(env.MEMORY);
  const [row] = await db.insert(meta).values({ agentId }).returning({ id: meta.id });
  const memoryId = row!.id;
  const clock = { now: 1_800_000_000_000 };
  const known: Embedder[] = [];
  const deps: VectorDeps = {
    database: env.MEMORY,
    agentId,
    // Without a cache every request reaches the embedder.
    settings: memorySearch.parse({ cache: { enabled: false }, ...settings }),
    embedders: { primary: undefined, fallback: undefined },
    embedderForSpace: (space) => known.find((embedder) => embedder.space === space),
    vectorize: undefined,
    host: "workerd",
    queryVectors: new Map(),
    now: () => clock.now,
  };

  async function addFile(state: "live" | "building", texts: readonly string[]) {
    const path = `memory/${crypto.randomUUID()}.md`;
    const file = { memoryId, path, source: "memory", etag: "1", size: 1, modifiedAt: 1, indexedAt: 1 } as const;
    const [added] = await db
      .insert(files)
      .values({ ...file, state, chunks: texts.length, generation: 1 })
      .returning({ id: files.id });
    const fileId = added!.id;
    return { fileId, chunkIds: await addChunks(fileId, texts) };
  }

  async function addChunks(fileId: number, texts: readonly string[]): Promise<number[]> {
    const { results } = await env.MEMORY.prepare(
      `INSERT INTO chunks (file_id, start_line, end_line, hash, text)
       SELECT ?, 1, 1, 'hash of ' || value, value FROM json_each(?) RETURNING id`,
    )
      .bind(fileId, JSON.stringify(texts))
      .all<{ id: number }>();
    return results.map(({ id }) => id);
  }

  return {
    deps,
    agentId,
    memoryId,
    clock,
    /** Embedders that can still be called for an earlier space. */
    known,
    /** Adds a live file with the given chunks. */
    write: async (...texts: string[]) => (await addFile("live", texts)).chunkIds,
    /** Adds a building version of a file. */
    async build(...texts: string[]) {
      const { fileId, chunkIds } = await addFile("building", texts);
      const finish = () => db.update(files).set({ state: "live" }).where(eq(files.id, fileId));
      return { chunkIds, finish, add: (...more: string[]) => addChunks(fileId, more) };
    },
    /** Removes a chunk's file from the index; its rows stay. */
    async kill(chunkId: number) {
      const [chunk] = await db.select().from(chunks).where(eq(chunks.id, chunkId));
      await db.update(files).set({ state: "dead" }).where(eq(files.id, chunk!.fileId));
    },
    /** Sets the number of live chunks that the index says it has. */
    resize: (chunks: number) => db.update(meta).set({ chunks }).where(eq(meta.id, memoryId)),
    spaces: () => db.select().from(spaces).where(eq(spaces.memoryId, memoryId)).orderBy(spaces.id),
    /** The ids of chunks with a vector of an embedder. */
    async withVector({ space }: Pick<Embedder, "space">): Promise<number[]> {
      const rows = await db
        .select({ id: vectors.chunkId })
        .from(vectors)
        .innerJoin(spaces, and(eq(spaces.id, vectors.spaceId), eq(spaces.memoryId, memoryId), eq(spaces.key, space)))
        .orderBy(vectors.chunkId);
      return rows.map(({ id }) => id);
    },
  };
}
