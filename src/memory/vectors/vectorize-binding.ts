/**
 * What is used of a Vectorize index (version 2), as its documentation says: changes are asynchronous and show in answers
 * seconds later. At most 1,000 vectors an upsert, 100 ids a deletion, 100 matches a query that wants neither values nor
 * metadata, and 64 bytes an id or a namespace.
 */
export interface VectorizeBinding {
  describe(): Promise<unknown>;
  query(
    vector: number[],
    options: { topK: number; namespace: string; returnValues: false; returnMetadata: "none" },
  ): Promise<{ matches: { id: string; score: number }[] }>;
  upsert(vectors: { id: string; namespace: string; values: number[] }[]): Promise<unknown>;
  deleteByIds(ids: string[]): Promise<unknown>;
}
