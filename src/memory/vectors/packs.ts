import { joinBytes } from "../../lib/join-bytes.ts";
import { QuantizedVectors, quantizedBytes } from "./quantize.ts";
import { codeBytes, signCode } from "./sign-codes.ts";

/** What a pack is at most: in base64 it has to leave room in a row, which D1 holds to 2 MB. */
const MAX_PACK_BYTES = 750_000;
const MAX_PACK_VECTORS = 512;
const ID_BYTES = 4;

/** How many vectors a pack has at most. */
export function packSize(dimensions: number): number {
  const bytes = ID_BYTES + codeBytes(dimensions) + quantizedBytes(dimensions);
  return Math.min(MAX_PACK_VECTORS, Math.floor(MAX_PACK_BYTES / bytes));
}

/** A chunk with its quantized vector. */
export interface Packable {
  chunkId: number;
  bytes: Uint8Array;
}

/** The columns of a pack, in base64. */
export interface PackColumns {
  ids: string;
  codes: string;
  vectors: string;
}

export function pack(vectors: readonly Packable[]): PackColumns {
  const ids = Uint32Array.from(vectors, ({ chunkId }) => chunkId);
  const codes = vectors.map(({ bytes }) => signCode(numbersOf(bytes)));
  return {
    ids: new Uint8Array(ids.buffer).toBase64(),
    codes: joinBytes(codes).toBase64(),
    vectors: joinBytes(vectors.map(({ bytes }) => bytes)).toBase64(),
  };
}

/** What a pack holds, one vector after the other. */
export function unpack({ ids, vectors }: Pick<PackColumns, "ids" | "vectors">): Packable[] {
  const chunkIds = idsOf(ids);
  const bytes = Uint8Array.fromBase64(vectors);
  const length = bytes.length / chunkIds.length;
  return [...chunkIds].map((chunkId, at) => ({ chunkId, bytes: bytes.subarray(at * length, (at + 1) * length) }));
}

/** The ids of a pack's chunks. */
export function idsOf(ids: string): Uint32Array<ArrayBuffer> {
  return new Uint32Array(Uint8Array.fromBase64(ids).buffer);
}

/** Vectors that can be compared, under the ids of their chunks. */
export interface VectorPack {
  ids: Uint32Array;
  vectors: QuantizedVectors;
}

/** Codes that can be compared, under the ids of their chunks. */
export interface CodePack {
  ids: Uint32Array;
  codes: Uint8Array;
}

export function vectorPack({ ids, vectors }: Pick<PackColumns, "ids" | "vectors">): VectorPack {
  return { ids: idsOf(ids), vectors: new QuantizedVectors(Uint8Array.fromBase64(vectors)) };
}

export function codePack({ ids, codes }: Pick<PackColumns, "ids" | "codes">): CodePack {
  return { ids: idsOf(ids), codes: Uint8Array.fromBase64(codes) };
}

function numbersOf(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length).subarray(quantizedBytes(0));
}
