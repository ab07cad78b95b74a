import type { Agent } from "../../config/agents.ts";
import { shortDigest } from "../../lib/short-digest.ts";
import type { Embedder } from "../embed/embedder.ts";
import { D1VectorIndex } from "./d1-vector-index.ts";
import { type AgentSpaces, findSpace, isUsable, MAX_D1_CHUNKS, type Space } from "./spaces.ts";
import { type VectorIndex, VectorIndexError } from "./vector-index.ts";
import { type VectorizeBinding, VectorizeIndex, vectorizeDimensions } from "./vectorize-index.ts";

/** Dependencies of one agent's vectors. */
export interface VectorDeps {
  database: D1Database;
  agentId: string;
  settings: Agent["memorySearch"];
  /** The embedders that are configured now. */
  embedders: { primary: Embedder | undefined; fallback: Embedder | undefined };
  /** The embedder of an earlier space (`Embedder.space`); undefined if it can no longer be called. */
  embedderForSpace(space: string): Embedder | undefined;
  /** The Vectorize binding, if there is one. */
  vectorize: VectorizeBinding | undefined;
  /** Vectorize works on Cloudflare only. */
  host: "cloudflare-workers" | "workerd";
  /** Vectors of the latest queries, by space and query. Keep one map for the life of the isolate. */
  queryVectors: Map<string, Float32Array>;
  now(): number;
}

/** The part of the dependencies that finds stored vectors. */
export type StoreDeps = Pick<VectorDeps, "database" | "agentId" | "vectorize" | "host">;

/** The embedders in use: none if vectors are disabled. */
export function enabledEmbedders({ embedders, settings }: VectorDeps): VectorDeps["embedders"] {
  return settings.store.vector.enabled ? embedders : { primary: undefined, fallback: undefined };
}

/** Where an embedder's vectors are stored. */
export interface StoreChoice {
  /** Null if no store can search them. */
  store: Space["store"] | null;
  /** The reason, one or two sentences. */
  why: string;
  /** Set if there is no store. */
  unavailable?: { reason: string; fix: string };
}

/**
 * Vectorize if it is bound and has the same number of dimensions, otherwise D1 up to `MAX_D1_CHUNKS`. Vectors of
 * `local` are in D1 while it can search them. While Vectorize does not answer, existing vectors stay where they are.
 */
export async function chooseStore(
  deps: StoreDeps,
  embedder: Pick<Embedder, "space" | "dimensions" | "sees">,
  { spaces, chunks }: AgentSpaces,
): Promise<StoreChoice> {
  const fitsD1 = isUsable({ store: "d1" }, chunks);
  if (embedder.sees === "letters" && fitsD1) return { store: "d1", why: "Vectors of local embeddings are kept in D1." };
  const binding = usableVectorize(deps);
  if (binding === undefined) {
    if (fitsD1) return { store: "d1", why: "Vectorize is not bound here: vectors are kept in D1." };
    return withoutStore("Vectorize is not bound here", embedder, chunks);
  }
  try {
    const dimensions = await vectorizeDimensions(binding);
    if (dimensions === embedder.dimensions) return { store: "vectorize", why: "Vectors are kept in Vectorize." };
    const mismatch = `The Vectorize index has ${dimensions} dimensions, the embeddings ${embedder.dimensions}`;
    if (fitsD1) return { store: "d1", why: `${mismatch}: they are kept in D1.` };
    return withoutStore(mismatch, embedder, chunks);
  } catch (error) {
    if (!(error instanceof VectorIndexError)) throw error;
    const store = findSpace(spaces, embedder)?.store ?? "d1";
    if (!isUsable({ store }, chunks)) return withoutStore(error.message.replace(/\.$/, ""), embedder, chunks);
    return { store, why: `${error.message} Vectors are kept in ${store === "d1" ? "D1" : "Vectorize"}.` };
  }
}

function withoutStore(problem: string, { dimensions }: Pick<Embedder, "dimensions">, chunks: number): StoreChoice {
  const [has, most] = [chunks, MAX_D1_CHUNKS].map((count) => count.toLocaleString("en"));
  const reason = `${problem}, and this memory has ${has} chunks: vectors in D1 are searched up to ${most}.`;
  const fix = `Bind a Vectorize index of ${dimensions} dimensions as VECTORS in wrangler.toml.`;
  return { store: null, why: `${reason} ${fix}`, unavailable: { reason, fix } };
}

/** Opens the vectors of a space. @throws VectorIndexError if its store cannot be reached from here */
export async function openIndex(deps: StoreDeps, space: Space): Promise<VectorIndex> {
  if (space.store === "d1") return new D1VectorIndex(deps.database, space);
  const binding = usableVectorize(deps);
  if (binding !== undefined) return openVectorize(deps, binding, space);
  throw new VectorIndexError("The vectors are in Vectorize, which is not bound here: add the binding VECTORS.");
}

/** Opens the vectors of a space to clear them. Without Vectorize only its rows in D1 are cleared. */
export async function openToClear(deps: StoreDeps, space: Space): Promise<VectorIndex> {
  const binding = space.store === "vectorize" ? usableVectorize(deps) : undefined;
  return binding === undefined ? new D1VectorIndex(deps.database, space) : openVectorize(deps, binding, space);
}

function usableVectorize({ vectorize, host }: StoreDeps): VectorizeBinding | undefined {
  return host === "cloudflare-workers" ? vectorize : undefined;
}

/**
 * A database that was deleted and created again gives spaces their old ids: the namespace also has the time of
 * creation.
 */
async function openVectorize(
  { database, agentId }: StoreDeps,
  binding: VectorizeBinding,
  { id, key, dimensions, createdAt }: Space,
): Promise<VectorIndex> {
  const namespace = await shortDigest(JSON.stringify([agentId, key, id, createdAt]));
  return new VectorizeIndex(binding, database, { id, namespace, dimensions });
}
