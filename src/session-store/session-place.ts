import { z } from "zod";
import { type SessionLocation, sessionLocation } from "../config/session-schema.ts";

const KEY = "place";

const arriving = z.object({
  kind: z.literal("arriving"),
  /** The object that the session comes from. */
  from: z.string(),
  location: sessionLocation,
  /** The attempt to move it. */
  move: z.string(),
  /** How many parts have arrived. */
  parts: z.int(),
  /** Whether those are all. The session is in use here once its former object has let go of it. */
  isComplete: z.boolean(),
});

const leaving = z.object({
  kind: z.literal("leaving"),
  /** The names of this object and of the other one. */
  from: z.string(),
  to: z.string(),
  location: sessionLocation,
});

const moved = z.object({
  kind: z.literal("moved"),
  from: z.string(),
  to: z.string(),
  location: sessionLocation,
  /** Whether D1 and the other object have been told. */
  isConfirmed: z.boolean(),
});

/** It is being copied to another object and not in use, it is in another object, or it is on its way to this one. */
const storedPlace = z.discriminatedUnion("kind", [leaving, moved, arriving]);

/** Where a session is that is not in its object: beside its tables, because those are not there, or not yet. */
export type StoredPlace = z.infer<typeof storedPlace>;
export type LeavingPlace = z.infer<typeof leaving>;
export type MovedPlace = z.infer<typeof moved>;

/** A row of a table, by the SQL names of its columns. */
export interface StoredRow {
  table: string;
  values: Record<string, SqlStorageValue>;
}

/** Part of a session on its way to another object. */
export interface SessionPart {
  from: string;
  location: SessionLocation;
  /** The attempt to move it; each one begins with the first part. */
  move: string;
  /** 0, 1, 2 … */
  part: number;
  rows: readonly StoredRow[];
  isLast: boolean;
}

/** Where the session of an object is; undefined if it is here, or has not begun. */
export function readPlace({ kv }: DurableObjectStorage): StoredPlace | undefined {
  const stored = kv.get(KEY);
  return stored === undefined ? undefined : storedPlace.parse(stored);
}

/** Stores where the session is, within the current commit; undefined if it is here. */
export function savePlace({ kv }: DurableObjectStorage, place: StoredPlace | undefined): void {
  if (place === undefined) kv.delete(KEY);
  else kv.put(KEY, place);
}
