import { digestOf } from "../../lib/digest.ts";
import type { InstallPlace } from "./install-place.ts";
import { EMPTY_LOCK, type Lock, lockText, parseLock, type ReadLock } from "./lock.ts";
import { refused } from "./refuse.ts";

/** Largest lock, in bytes: some 20,000 files. */
const MAX_LOCK_BYTES = 4 * 1024 * 1024;

/** How often a change is made anew because somebody else was faster. */
const ROUNDS = 6;

type LockStore = Pick<InstallPlace, "bucket" | "attempt" | "lockKey">;

/** A lock with the etag that a change of it is conditional on; undefined where none is stored. */
export type StoredLock = ReadLock & { etag: string | undefined };

/** Reads a place's lock. One R2 operation. @throws WorkspaceError `unavailable` */
export async function readLock({ bucket, attempt, lockKey }: LockStore): Promise<StoredLock> {
  return attempt(lockKey, async () => {
    const object = await bucket.get(lockKey);
    if (object === null) return { kind: "lock", lock: EMPTY_LOCK, etag: undefined };
    if (object.size > MAX_LOCK_BYTES) {
      await object.body.cancel();
      return {
        kind: "damaged",
        why: `it has ${object.size} bytes, and ${MAX_LOCK_BYTES} are the most`,
        etag: object.etag,
      };
    }
    return { ...parseLock(await object.text()), etag: object.etag };
  });
}

/** The lock, where it can be read. @throws IsopodError `conflict` where it is damaged: nothing is changed then */
export function soundLock(stored: StoredLock, { lockKey }: LockStore): Lock {
  if (stored.kind === "lock") return stored.lock;
  const hint = `Look at ${lockKey} in the bucket; deleted, it counts as empty, and its skills as not installed.`;
  throw refused("lock_damaged", `The record of installed skills cannot be read: ${stored.why}`, hint, "conflict");
}

/**
 * Changes a lock by conditional writes: `change` is asked again with the newest lock where somebody else was faster, and gives
 * undefined for nothing to change.
 * @throws IsopodError `conflict` where the lock is damaged or too full, or others are always faster, and what `change` throws
 */
export async function changeLock(store: LockStore, change: (lock: Lock) => Lock | undefined): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const stored = await readLock(store);
    const changed = change(soundLock(stored, store));
    if (changed === undefined || (await putIf(store, lockText(changed), stored.etag))) return;
  }
  throw refused("busy", "Others keep changing the record of installed skills.", "Try again.", "conflict");
}

/** Stores a lock over the version with that etag. After a lost answer, finding our bytes there is success. */
async function putIf(
  { bucket, attempt, lockKey }: LockStore,
  text: string,
  etag: string | undefined,
): Promise<boolean> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_LOCK_BYTES) {
    throw refused("lock_full", "The record of installed skills is full.", "Remove a skill first.", "conflict");
  }
  const onlyIf = etag === undefined ? { etagDoesNotMatch: "*" } : { etagMatches: etag };
  return attempt(lockKey, async (again) => {
    const stored = await bucket.put(lockKey, bytes, { onlyIf });
    if (stored !== null || again !== "unsure") return stored !== null;
    return (await bucket.head(lockKey))?.etag === (await digestOf("MD5", bytes));
  });
}
