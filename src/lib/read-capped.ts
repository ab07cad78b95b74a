import { joinBytes } from "./join-bytes.ts";

/**
 * Reads a body to its end; undefined, with the rest cancelled, if it is longer than `maxBytes`. @throws if the stream
 * breaks
 */
export async function readCapped(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}
