import { digestOf } from "../../lib/digest.ts";
import type { NewChunk, StoredChunk } from "../store/memory-index.ts";
import { type Chunking, chunkText } from "../text/chunk.ts";

/** Cuts a text into chunks with their hashes. */
export async function hashedChunks(text: string, chunking: Chunking): Promise<NewChunk[]> {
  const encoder = new TextEncoder();
  const hashed: NewChunk[] = [];
  for (const chunk of chunkText(text, chunking)) {
    hashed.push({ ...chunk, hash: await digestOf("SHA-256", encoder.encode(chunk.text)) });
  }
  return hashed;
}

/** The difference between the chunks of a file and the stored ones. */
export interface ChunkDiff {
  added: NewChunk[];
  /** The ids of stored chunks. */
  kept: number[];
  removed: number[];
}

/** Compares chunks by first line and hash. Equal chunks are matched one to one. */
export function diffChunks(next: readonly NewChunk[], stored: readonly StoredChunk[]): ChunkDiff {
  const byContent = new Map<string, number[]>();
  for (const chunk of stored) {
    const alike = byContent.get(contentKey(chunk));
    if (alike === undefined) byContent.set(contentKey(chunk), [chunk.id]);
    else alike.push(chunk.id);
  }
  const added: NewChunk[] = [];
  const kept: number[] = [];
  for (const chunk of next) {
    const id = byContent.get(contentKey(chunk))?.pop();
    if (id === undefined) added.push(chunk);
    else kept.push(id);
  }
  return { added, kept, removed: [...byContent.values()].flat() };
}

function contentKey({ startLine, hash }: Pick<NewChunk, "startLine" | "hash">): string {
  return `${startLine} ${hash}`;
}
