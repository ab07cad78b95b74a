import { z } from "zod";
import { digestOf } from "../../lib/digest.ts";
import { messageOf } from "../../lib/errors.ts";
import type { InstallTarget } from "./install-target.ts";
import { refused } from "./refusal.ts";

const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const file = z.strictObject({
  path: z.string().min(1),
  sha256: hex(64),
  etag: z.string().min(1),
  size: z.int().nonnegative(),
});

const source = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("upload") }),
  z.strictObject({ kind: z.literal("url"), url: z.string(), path: z.string().optional() }),
  z.strictObject({
    kind: z.literal("clawhub"),
    slug: z.string(),
    registryUrl: z.string(),
    /** Whether it is pinned to its version. */
    pinned: z.boolean(),
  }),
]);

const signature = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("unsigned") }),
  z.strictObject({ kind: z.literal("untrusted"), keyId: z.string().optional() }),
  z.strictObject({ kind: z.literal("trusted"), keyId: z.string() }),
]);

const skill = {
  name: z.string().min(1),
  source,
  /** The registry's version, or `sha256:` and 16 hex digits of the digest of its SKILL.md. */
  version: z.string().min(1),
  /** The digest of all files; see `packageDigest`. */
  digest: hex(64),
  /** Milliseconds since the epoch. */
  installedAt: z.int(),
  files: z.array(file),
  signature,
  /** Present if an owner accepted changes to its files. */
  modified: z.literal(true).optional(),
};

/** Unfinished work: its id, and when it began, in milliseconds since the epoch. */
const work = { workId: z.string().min(1), since: z.int() };

const entry = z.discriminatedUnion("state", [
  z.strictObject({ ...skill, state: z.literal("installed") }),
  z.strictObject({
    ...skill,
    ...work,
    state: z.literal("installing"),
    /** The R2 key of all files' bytes, concatenated in the order of `files`. */
    package: z.string().min(1),
    /** The previous files of the folder, which are replaced or removed. */
    before: z.array(z.strictObject({ path: z.string().min(1), etag: z.string().min(1) })),
  }),
  z.strictObject({ ...skill, ...work, state: z.literal("removing") }),
]);

const document = z.looseObject({ version: z.literal(1), skills: z.record(z.string(), z.unknown()) });

/** An installed skill, or one that is being installed or removed. */
export type LockEntry = z.output<typeof entry>;
export type InstallingEntry = Extract<LockEntry, { state: "installing" }>;
export type RemovingEntry = Extract<LockEntry, { state: "removing" }>;
export type LockSource = z.output<typeof source>;

/** An entry that cannot be parsed; it is written back unchanged. */
export interface DamagedEntry {
  state: "damaged";
  raw: unknown;
  why: string;
}

/** The installed skills of one target, by folder. Immutable: the transitions below return a new lock. */
export interface Lock {
  readonly skills: ReadonlyMap<string, LockEntry | DamagedEntry>;
}

const EMPTY_LOCK: Lock = { skills: new Map() };

/** A parsed lock. A lock that cannot be parsed never counts as empty. */
export type ReadLock = { kind: "lock"; lock: Lock } | { kind: "damaged"; why: string };

/** Parses a lock. A damaged entry does not affect the others. Never throws. */
function parseLock(text: string): ReadLock {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (thrown) {
    return { kind: "damaged", why: `it is not JSON: ${messageOf(thrown)}` };
  }
  const read = document.safeParse(json);
  if (!read.success) return { kind: "damaged", why: z.prettifyError(read.error) };
  const skills = new Map<string, LockEntry | DamagedEntry>();
  for (const [folder, raw] of Object.entries(read.data.skills)) {
    const one = entry.safeParse(raw);
    skills.set(folder, one.success ? one.data : { state: "damaged", raw, why: z.prettifyError(one.error) });
  }
  return { kind: "lock", lock: { skills } };
}

/** Serializes a lock; equal locks give equal text. */
function lockText({ skills }: Lock): string {
  const sorted = [...skills].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const written = sorted.map(([folder, one]) => [folder, one.state === "damaged" ? one.raw : one]);
  return `${JSON.stringify({ version: 1, skills: Object.fromEntries(written) }, undefined, 1)}\n`;
}

/** The lock with a new entry for a folder. */
export function withEntry({ skills }: Lock, folder: string, one: LockEntry): Lock {
  return { skills: new Map([...skills, [folder, one]]) };
}

/** The lock without a folder's entry. */
export function withoutEntry({ skills }: Lock, folder: string): Lock {
  return { skills: new Map([...skills].filter(([other]) => other !== folder)) };
}

/** The entry of a finished install. */
export function installedEntry({ workId, since, package: _, before, ...rest }: InstallingEntry): LockEntry {
  return { ...rest, state: "installed" };
}

/** The folder of a skill, by folder or name; undefined if there is none. */
export function findFolder({ skills }: Lock, name: string): string | undefined {
  if (skills.has(name)) return name;
  return [...skills].find(([, one]) => one.state !== "damaged" && one.name === name)?.[0];
}

/** Largest lock, in bytes: about 20,000 files. */
const MAX_LOCK_BYTES = 4 * 1024 * 1024;

/** How often a change is retried after a concurrent one. */
const ROUNDS = 6;

type LockStore = Pick<InstallTarget, "bucket" | "attempt" | "lockKey">;

/** A lock with its etag for conditional writes; undefined if no lock is stored. */
export type StoredLock = ReadLock & { etag: string | undefined };

/** Reads a target's lock. One R2 operation. @throws WorkspaceError `unavailable` */
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

/** The lock, unless it is damaged. @throws IsopodError `conflict` if it is damaged */
export function usableLock(stored: StoredLock, { lockKey }: LockStore): Lock {
  if (stored.kind === "lock") return stored.lock;
  const hint = `Look at ${lockKey} in the bucket; deleted, it counts as empty, and its skills as not installed.`;
  throw refused("lock_damaged", `The record of installed skills cannot be read: ${stored.why}`, hint, "conflict");
}

/**
 * Changes a lock with a conditional write. After a concurrent change, `change` is called again with the new lock; it
 * returns undefined for no change.
 * @throws IsopodError `conflict` if the lock is damaged, full or changed too often, and errors of `change`
 */
export async function changeLock(store: LockStore, change: (lock: Lock) => Lock | undefined): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const stored = await readLock(store);
    const changed = change(usableLock(stored, store));
    if (changed === undefined || (await putIf(store, lockText(changed), stored.etag))) return;
  }
  throw refused("busy", "Others keep changing the record of installed skills.", "Try again.", "conflict");
}

/** Writes a lock over the version with that etag. After a lost response, finding the same bytes counts as success. */
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
