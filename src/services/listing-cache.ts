import type { SkillFile } from "../skills/skill.ts";
import type { WorkspaceEntry } from "../workspace/workspace.ts";

/** How long a listing serves, in milliseconds: a change that another program makes in R2 is seen at the latest then. */
export const LISTING_FRESH_MS = 60_000;
/** Most listings in memory, and most entries of one. */
const MAX_LISTINGS = 1000;
const MAX_ENTRIES = 5000;

interface Listing<Entry extends object> {
  entries: Entry[];
  /** When it was asked for, in milliseconds since the epoch. */
  at: number;
}

/**
 * Listings of R2 that one isolate has made, for all its sessions. A write through this isolate drops the listings that
 * it may change.
 */
export class ListingCache<Entry extends object> {
  /** The least recently listed first. */
  readonly #listings = new Map<string, Listing<Entry>>();
  readonly #now: () => number;
  #dropped = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A listing that is young enough to serve; undefined if there is none. */
  fresh(key: string): Entry[] | undefined {
    const ageMs = this.#now() - this.listedAt(key);
    return ageMs >= 0 && ageMs < LISTING_FRESH_MS ? this.known(key) : undefined;
  }

  /** A listing of any age. */
  known(key: string): Entry[] | undefined {
    return this.#listings.get(key)?.entries;
  }

  /** When a listing was asked for, in milliseconds since the epoch; minus infinity if it is not known. */
  listedAt(key: string): number {
    return this.#listings.get(key)?.at ?? Number.NEGATIVE_INFINITY;
  }

  /** Lists again. The same entries give the same object. A listing during which something was dropped is not kept. @throws what `list` throws */
  async refresh(key: string, list: () => Promise<Entry[]>): Promise<Entry[]> {
    const [at, dropped] = [this.#now(), this.#dropped];
    const entries = await list();
    if (dropped !== this.#dropped || entries.length > MAX_ENTRIES) return entries;
    const before = this.known(key);
    this.#listings.delete(key);
    this.#listings.set(key, { entries: before !== undefined && isSame(before, entries) ? before : entries, at });
    const [oldest] = this.#listings.keys();
    if (this.#listings.size > MAX_LISTINGS && oldest !== undefined) this.#listings.delete(oldest);
    return entries;
  }

  /** Drops the listings whose key starts with a text. */
  drop(start: string): void {
    this.#dropped++;
    for (const key of this.#listings.keys()) if (key.startsWith(start)) this.#listings.delete(key);
  }
}

/** Whether two listings have the same files in the same versions. */
function isSame(before: readonly object[], after: readonly object[]): boolean {
  return before.length === after.length && JSON.stringify(before) === JSON.stringify(after);
}

/** The listings of an isolate: of the roots of workspaces, and of the roots of skills. */
export interface Listings {
  workspaces: ListingCache<WorkspaceEntry>;
  skills: ListingCache<SkillFile>;
}

const now = () => Date.now();

/** The listings that this isolate has made: the Worker's and those of its objects, whose bindings are different objects. */
export const isolateListings: Listings = { workspaces: new ListingCache(now), skills: new ListingCache(now) };
