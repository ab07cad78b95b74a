import { digestOf } from "../../lib/digest.ts";
import { type Chunking, chunksOf } from "../chunk.ts";
import type { NewChunk, StoredChunk } from "../store/memory-index.ts";

/** Cuts a text up, with the digest of each chunk. */
export async function hashedChunks(text: string, chunking: Chunking): Promise<NewChunk[]> {
  const encoder = new TextEncoder();
  const hashed: NewChunk[] = [];
  for (const chunk of chunksOf(text, chunking)) {
    hashed.push({ ...chunk, hash: await digestOf("SHA-256", encoder.encode(chunk.text)) });
  }
  return hashed;
}

/** How the chunks that a file has differ from those that are stored of it. */
export interface ChunkDiff {
  added: NewChunk[];
  /** The ids of chunks that stay, and of those that do not. */
  kept: number[];
  removed: number[];
}

/** Compares by the first line and the digest; where several are alike, each is the counterpart of one. */
export function diffChunks(next: readonly NewChunk[], stored: readonly StoredChunk[]): ChunkDiff {
  const byContent = new Map<string, number[]>();
  for (const chunk of stored) {
    const alike = byContent.get(keyOf(chunk));
    if (alike === undefined) byContent.set(keyOf(chunk), [chunk.id]);
    else alike.push(chunk.id);
  }
  const added: NewChunk[] = [];
  const kept: number[] = [];
  for (const chunk of next) {
    const id = byContent.get(keyOf(chunk))?.pop();
    if (id === undefined) added.push(chunk);
    else kept.push(id);
  }
  return { added, kept, removed: [...byContent.values()].flat() };
}

function keyOf({ startLine, hash }: Pick<NewChunk, "startLine" | "hash">): string {
  return `${startLine} ${hash}`;
}
