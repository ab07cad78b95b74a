import { addToBuilding, beginBuilding, finishBuilding, giveUp } from "../store/build-file.ts";
import type { MemoryIndex, NewChunk } from "../store/memory-index.ts";
import { chunksOfFiles } from "../store/read-index.ts";
import { diffChunks } from "./diff-chunks.ts";
import type { Draft } from "./index-documents.ts";
import type { SyncRoom } from "./sync-room.ts";

/** Most UTF-16 units of one transaction. */
const STEP_UNITS = 250_000;

/**
 * Writes another version of a file step by step, or goes on with one that was begun, and puts it in the place of the live
 * one. At least one step is done.
 * @returns whether it is in its place
 */
export async function buildVersion(
  room: SyncRoom,
  index: MemoryIndex,
  { chunks, change, building }: Draft,
  mayGoOn: () => boolean,
): Promise<boolean> {
  const { document, live, token, warning } = change;
  const begun = building?.etag === document.etag && building.generation === index.generation ? building : undefined;
  let version = begun ?? (await beginBuilding(index, document, room.now()));
  const built = diffChunks(chunks, version.chunks === 0 ? [] : await chunksOfFiles(room.database, [version.id]));
  if (built.removed.length > 0) {
    await giveUp(index, [version]);
    return false;
  }
  const reusable = live?.generation === index.generation ? await chunksOfFiles(room.database, [live.id]) : [];
  const { added, kept } = diffChunks(built.added, reusable);
  for (const [at, step] of stepsOf(added).entries()) {
    const filled = at === 0 || mayGoOn() ? await addToBuilding(index, version, step) : undefined;
    if (filled === undefined) return false;
    version = filled;
  }
  return finishBuilding(index, version, { document, live, kept, warning, token }, room.now());
}

function stepsOf(chunks: readonly NewChunk[]): NewChunk[][] {
  const steps: NewChunk[][] = [];
  let units = Number.POSITIVE_INFINITY;
  for (const chunk of chunks) {
    units += chunk.text.length;
    if (units > STEP_UNITS) {
      steps.push([]);
      units = chunk.text.length;
    }
    steps.at(-1)?.push(chunk);
  }
  return steps;
}
