import type { Embedder } from "../embed/embedder.ts";
import { usableVectorize } from "./open-index.ts";
import { type Space, spaceOf } from "./spaces.ts";
import { VectorIndexError } from "./vector-index.ts";
import type { VectorRoom } from "./vector-room.ts";
import { vectorizeDimensions } from "./vectorize-index.ts";

/** Where an embedder's vectors are to be kept, and why there: a sentence. */
export interface StoreChoice {
  store: Space["store"];
  why: string;
}

/**
 * Vectorize, where it is bound and takes vectors of this kind; D1 otherwise, and for hashes of words, which cost no more to
 * compare than to send. While Vectorize does not answer, what there is stays where it is.
 */
export async function chooseStore(
  room: VectorRoom,
  embedder: Pick<Embedder, "space" | "dimensions" | "sees">,
  spaces: readonly Space[],
): Promise<StoreChoice> {
  if (embedder.sees === "letters") return { store: "d1", why: "Vectors of local embeddings are kept in D1." };
  const binding = usableVectorize(room);
  if (binding === undefined) return { store: "d1", why: "Vectorize is not bound here: vectors are kept in D1." };
  try {
    const dimensions = await vectorizeDimensions(binding);
    if (dimensions === embedder.dimensions) return { store: "vectorize", why: "Vectors are kept in Vectorize." };
    const why = `The Vectorize index has ${dimensions} dimensions, the embeddings ${embedder.dimensions}: they are kept in D1.`;
    return { store: "d1", why };
  } catch (error) {
    if (!(error instanceof VectorIndexError)) throw error;
    const store = spaceOf(spaces, embedder)?.store ?? "d1";
    return { store, why: `${error.message} Vectors are kept in ${store === "d1" ? "D1" : "Vectorize"}.` };
  }
}
