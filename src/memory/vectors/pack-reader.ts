import { drizzle } from "drizzle-orm/d1";
import { packs } from "../../db/memory-schema.ts";
import { isIn } from "./is-in.ts";
import type { PackCache } from "./pack-cache.ts";
import { type CodePack, codePack, type VectorPack, vectorPack } from "./packs.ts";
import { quantizedBytes } from "./quantize.ts";
import { codeBytes } from "./sign-codes.ts";

/** What one question to D1 may bring. */
const GROUP_BYTES = 4 * 1024 * 1024;

/** A pack that there is. */
export interface ListedPack {
  id: number;
  count: number;
  /** Chunks in it that are no more. */
  gone: ReadonlySet<number>;
}

/** Where packs are read from. */
export interface PackShelf {
  database: D1Database;
  dimensions: number;
  cache: PackCache;
  /** Tells this space's packs apart from those of any other database that the isolate has known. */
  name: string;
}

/** Somebody has put packs together since they were listed. */
export class PacksMoved extends Error {}

/** Calls back with each pack's vectors. @throws PacksMoved */
export function eachVectorPack(
  shelf: PackShelf,
  listed: readonly ListedPack[],
  look: (pack: VectorPack, gone: ReadonlySet<number>) => void,
): Promise<void> {
  const columns = { id: packs.id, ids: packs.ids, data: packs.vectors };
  const make = (row: Row) => vectorPack({ ids: row.ids, vectors: row.data });
  return eachPack(shelf, listed, { kind: "vectors", bytes: quantizedBytes(shelf.dimensions), columns, make, look });
}

/** Calls back with each pack's codes, whose vectors are not read. @throws PacksMoved */
export function eachCodePack(
  shelf: PackShelf,
  listed: readonly ListedPack[],
  look: (pack: CodePack, gone: ReadonlySet<number>) => void,
): Promise<void> {
  const columns = { id: packs.id, ids: packs.ids, data: packs.codes };
  const make = (row: Row) => codePack({ ids: row.ids, codes: row.data });
  return eachPack(shelf, listed, { kind: "codes", bytes: codeBytes(shelf.dimensions), columns, make, look });
}

interface Row {
  id: number;
  ids: string;
  data: string;
}

interface Look<Pack> {
  kind: "vectors" | "codes";
  /** Of one vector. */
  bytes: number;
  columns: { id: typeof packs.id; ids: typeof packs.ids; data: typeof packs.vectors | typeof packs.codes };
  make(row: Row): Pack;
  look(pack: Pack, gone: ReadonlySet<number>): void;
}

/**
 * Looks at packs that the isolate has, and reads the others a few at a time. Of more than the isolate may hold, always the same ones
 * are held: were all of them, each look would push out what the next one wants.
 */
async function eachPack<Pack>(
  { database, cache, name }: PackShelf,
  listed: readonly ListedPack[],
  { kind, bytes, columns, make, look }: Look<Pack>,
): Promise<void> {
  const bytesOf = ({ count }: ListedPack) => count * (bytes + Uint32Array.BYTES_PER_ELEMENT);
  const keyOf = (id: number) => `${name} ${kind} ${id}`;
  const isHeld = new Set<number>();
  const missing = new Map<number, ListedPack>();
  let heldBytes = 0;
  for (const one of listed) {
    heldBytes += bytesOf(one);
    if (heldBytes <= cache.maxBytes) isHeld.add(one.id);
    const known = cache.get<Pack>(keyOf(one.id));
    if (known === undefined) missing.set(one.id, one);
    else look(known, one.gone);
  }
  for (const group of grouped([...missing.values()], bytesOf)) {
    const rows = await drizzle(database).select(columns).from(packs).where(isIn(packs.id, group));
    if (rows.length < group.length) throw new PacksMoved();
    for (const row of rows) {
      const one = missing.get(row.id);
      if (one === undefined) continue;
      const made = make(row);
      if (isHeld.has(one.id)) cache.put(keyOf(one.id), made, bytesOf(one));
      look(made, one.gone);
    }
  }
}

function* grouped(listed: readonly ListedPack[], bytesOf: (pack: ListedPack) => number): Generator<number[]> {
  let group: number[] = [];
  let bytes = 0;
  for (const one of listed) {
    if (group.length > 0 && bytes + bytesOf(one) > GROUP_BYTES) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(one.id);
    bytes += bytesOf(one);
  }
  if (group.length > 0) yield group;
}
