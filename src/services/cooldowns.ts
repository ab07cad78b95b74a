import { and, inArray, lte, sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { Cooldown, Cooldowns } from "../agent/failover.ts";
import { cooldowns } from "../db/schema.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";

/** How long a cached cooldown is used. */
const FRESH_MS = 10_000;
/** Most names in the cache. */
const MAX_REMEMBERED = 500;
/** Most parameters of one statement. */
const MAX_NAMES = 100;

/** A cached name: its cooldown, if any, and when it was read. */
export type CooldownCache = Map<string, { cooldown: Cooldown | undefined; at: number }>;

/** The cooldowns of model providers' keys, shared by all sessions. No method throws: if D1 fails, the cache is used. */
export class CooldownStore {
  readonly #database: D1Database;
  readonly #remembered: CooldownCache;
  readonly #waitUntil: (promise: Promise<unknown>) => void;

  /** @param remembered the isolate's shared cache */
  constructor(database: D1Database, remembered: CooldownCache, waitUntil: (promise: Promise<unknown>) => void) {
    this.#database = database;
    this.#remembered = remembered;
    this.#waitUntil = waitUntil;
  }

  /** The cooldowns of these names; reads D1 once for names whose cache entry is old. */
  async of(names: readonly string[], now: number): Promise<Cooldowns> {
    const stale = names.filter((name) => now - (this.#remembered.get(name)?.at ?? 0) >= FRESH_MS).slice(0, MAX_NAMES);
    if (stale.length > 0) await this.#read(stale, now);
    return new Map(
      names.flatMap((name) => {
        const rest = this.#remembered.get(name)?.cooldown;
        return rest === undefined ? [] : [[name, rest]];
      }),
    );
  }

  /**
   * Starts a cooldown. Sessions that fail at the same time count as one failure: each adds its failure to what it had
   * read, and the largest is kept.
   */
  note(name: string, rest: Cooldown, now: number): void {
    this.#remember(name, rest, now);
    const change = {
      kind: rest.kind,
      failures: sql`max(${cooldowns.failures}, ${rest.failures})`,
      until: sql`max(${cooldowns.until}, ${rest.until})`,
    };
    this.#later((db) =>
      db
        .insert(cooldowns)
        .values({ profile: name, ...rest })
        .onConflictDoUpdate({ target: cooldowns.profile, set: change }),
    );
  }

  /**
   * Deletes the failures of names that are not cooling down. A cooldown that another session started meanwhile is kept.
   */
  forget(names: readonly string[], now: number): void {
    for (const name of names) this.#remember(name, undefined, now);
    const areAwake = and(inArray(cooldowns.profile, [...names]), lte(cooldowns.until, now));
    this.#later((db) => db.delete(cooldowns).where(areAwake));
  }

  async #read(names: readonly string[], now: number): Promise<void> {
    const areAsked = inArray(cooldowns.profile, [...names]);
    const rows = await this.#quietly((db) => db.select().from(cooldowns).where(areAsked));
    for (const name of names) {
      const row = rows?.find(({ profile }) => profile === name);
      if (rows !== undefined) this.#remember(name, row, now);
    }
  }

  #remember(name: string, rest: Cooldown | undefined, at: number): void {
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(name, { cooldown: rest, at });
  }

  #later(work: (db: DrizzleD1Database) => PromiseLike<unknown>): void {
    this.#waitUntil(this.#quietly(work));
  }

  /** Undefined if it failed. */
  async #quietly<T>(work: (db: DrizzleD1Database) => PromiseLike<T>): Promise<T | undefined> {
    try {
      return await work(drizzle(this.#database));
    } catch (error) {
      log("warn", "cooldowns.failed", { error: messageOf(error) });
      return undefined;
    }
  }
}
