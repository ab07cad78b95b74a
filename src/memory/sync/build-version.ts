import { batches } from "../../lib/batches.ts";
import { addToBuilding, beginBuilding, finishBuilding, giveUp } from "../store/build-file.ts";
import type { MemoryIndex } from "../store/memory-index.ts";
import { chunksOfFiles } from "../store/read-index.ts";
import { diffChunks } from "./diff-chunks.ts";
import type { Draft } from "./index-documents.ts";
import { MAX_UNITS, type SyncRoom } from "./sync-room.ts";

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
  let steps = 0;
  for (const step of batches(added, ({ text }) => text.length, { size: room.maxUnits ?? MAX_UNITS })) {
    const filled = steps++ === 0 || mayGoOn() ? await addToBuilding(index, version, step) : undefined;
    if (filled === undefined) return false;
    version = filled;
  }
  return finishBuilding(index, version, { document, live, kept, warning, token }, room.now());
}
