import { and, desc, gte, isNotNull } from "drizzle-orm";
import { runs } from "./schema.ts";
import type { Store } from "./store.ts";

/** How long a deleted session knows which messages it had taken up. */
const KEPT_MS = 24 * 60 * 60_000;
/** Most keys that are kept, the newest. */
const MAX_KEYS = 5000;
const NAME = "tombstone";

/** What is left of a deleted session: the idempotency keys of its last day, so that no message is taken up again. */
export interface Tombstone {
  keys: readonly string[];
  /** When it goes, too; in milliseconds since the epoch. */
  until: number;
}

/**
 * The tombstone that a session leaves if it is deleted now; undefined if it took up nothing with a key.
 * @param earlier that of a session that was here before
 */
export function tombstoneOf(store: Store, now: number, earlier: Tombstone | undefined): Tombstone | undefined {
  const rows = store
    .select({ key: runs.idempotencyKey })
    .from(runs)
    .where(and(isNotNull(runs.idempotencyKey), gte(runs.acceptedAt, now - KEPT_MS)))
    .orderBy(desc(runs.acceptedAt))
    .limit(MAX_KEYS)
    .all();
  const keys = [...rows.flatMap(({ key }) => key ?? []), ...(earlier?.keys ?? [])].slice(0, MAX_KEYS);
  return keys.length === 0 ? undefined : { keys, until: now + KEPT_MS };
}

/** Stores a tombstone beside the tables, so that it outlives them, and lets it go with an alarm. */
export function putTombstone(storage: DurableObjectStorage, tombstone: Tombstone): Promise<void> {
  storage.kv.put(NAME, tombstone);
  return storage.setAlarm(tombstone.until);
}

/** The tombstone of a session that was here before; undefined if there is none or its time is over. */
export function readTombstone(storage: DurableObjectStorage, now: number): Tombstone | undefined {
  const found = storage.kv.get<Tombstone>(NAME);
  return found !== undefined && found.until > now ? found : undefined;
}

/** Whether there is a tombstone whose time is over. */
export function isTombstoneOver(storage: DurableObjectStorage, now: number): boolean {
  const found = storage.kv.get<Tombstone>(NAME);
  return found !== undefined && found.until <= now;
}
