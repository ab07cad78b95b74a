import { desc, eq, lt, lte, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { audit, browserZones, configRevisions, movedSessions, skillChanges } from "../db/schema.ts";
import { IsopodError } from "../lib/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { byteLength, head } from "../lib/text.ts";

/** Most bytes of a document as JSON; a row of D1 holds 2 MB. */
export const MAX_DOCUMENT_BYTES = 1_000_000;
/** How many revisions are kept. */
export const KEPT_REVISIONS = 200;
const MAX_CHANGED_PATHS = 500;
const MAX_PATH_CHARS = 200;
const MAX_WORD_CHARS = 500;
/** Most moves of sessions that are read at once; what is older is known to the objects that were left. */
const MAX_MOVES = 500;
/** Most time zones that are read at once. */
const MAX_ZONES = 500;

const NEWEST = sql<number>`coalesce(max(${configRevisions.revision}), 0)`;
const LINE = {
  revision: configRevisions.revision,
  author: configRevisions.author,
  note: configRevisions.note,
  changed: configRevisions.changed,
  createdAt: configRevisions.createdAt,
};

/** A stored revision without its document. `createdAt` is in milliseconds since the epoch. */
export interface RevisionLine {
  revision: number;
  author: string;
  note: string | null;
  /** The paths that differ from what was in force before. */
  changed: string[];
  createdAt: number;
}

/** A stored revision. */
export interface StoredRevision extends RevisionLine {
  /** As it was given, without defaults; a later version may find it invalid. Null if it is damaged. */
  document: JsonObject | null;
}

/** The newest revision in D1. */
export interface Newest {
  /** 0 where nothing is stored. */
  revision: number;
  /** Absent if the caller has it already; null if it is damaged. */
  document?: JsonObject | null;
  /** How many times skills were changed outside of a conversation. */
  skillChanges: number;
  /** The newest moves of sessions that the caller does not have, the oldest first. */
  moves: SessionMove[];
  /** The newest time zones of browsers that the caller does not have, the oldest first. */
  zones: BrowserZone[];
}

/** The time zone that an owner's browser told for an agent. */
export interface BrowserZone {
  agentId: string;
  /** An IANA zone. */
  zone: string;
  /** Milliseconds since the epoch. */
  toldAt: number;
}

/** What a caller of `newest` has already. */
export interface KnownNewest {
  /** The revision whose document it has. */
  revision: number;
  move?: number;
  zonesAt?: number;
}

/** A session's move from one object to another. */
export interface SessionMove {
  object: string;
  movedTo: string;
  /** Grows with each move. */
  revision: number;
}

/** A validated change. */
export interface ConfigWrite {
  /** The revision that the change was made from; 0 where nothing was stored. */
  base: number;
  document: JsonObject;
  author: string;
  note: string | null;
  changed: readonly string[];
  /** Milliseconds since the epoch. */
  now: number;
  /** Where the change stands in the audit trail. */
  audit: { id: string; agentId: string; sessionKey: string; runId: string | null };
}

/** The outcome of a write: stored, or nothing was stored because another write came first. */
export interface WriteOutcome {
  kind: "written" | "conflict";
  /** The newest revision: the stored one, or that of the other write. */
  revision: number;
}

/** The revisions of the configuration in D1. Every method throws what D1 throws. */
export class ConfigStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  /**
   * The newest revision's number, 0 where nothing is stored, its document only where the number is not known, how often
   * skills were changed, and the moves of sessions and zones of browsers that are new to the caller. One statement that
   * reads a row of each, and nothing is sent that is already here.
   */
  async newest({ revision: known, move: knownMove = 0, zonesAt = 0 }: KnownNewest): Promise<Newest> {
    const newest = this.#db
      .select({ revision: NEWEST.as("newest") })
      .from(configRevisions)
      .as("newest");
    const isUnknown = sql`${configRevisions.revision} = ${newest.revision} and ${newest.revision} <> ${known}`;
    const { object, movedTo, revision: moveRevision } = movedSessions;
    const move = sql`json_object('object', ${object}, 'movedTo', ${movedTo}, 'revision', ${moveRevision})`;
    const newMoves = sql`select * from ${movedSessions} where ${moveRevision} > ${knownMove} order by ${moveRevision} desc limit ${MAX_MOVES}`;
    const told = sql`json_object('agentId', ${browserZones.agentId}, 'zone', ${browserZones.zone}, 'toldAt', ${browserZones.toldAt})`;
    const newZones = sql`select * from ${browserZones} where ${browserZones.toldAt} > ${zonesAt} order by ${browserZones.toldAt} desc limit ${MAX_ZONES}`;
    const row = await this.#db
      .select({
        revision: newest.revision,
        document: sql<string | null>`(select ${configRevisions.document} from ${configRevisions} where ${isUnknown})`,
        skills: sql<number>`coalesce((select ${skillChanges.count} from ${skillChanges}), 0)`,
        moves: sql<string>`(select json_group_array(${move}) from (${newMoves}) as ${movedSessions})`,
        zones: sql<string>`(select json_group_array(${told}) from (${newZones}) as ${browserZones})`,
      })
      .from(newest)
      .get();
    const { revision = 0, document = null, skills = 0 } = row ?? {};
    const moves: SessionMove[] = JSON.parse(row?.moves ?? "[]").reverse();
    const zones: BrowserZone[] = JSON.parse(row?.zones ?? "[]").reverse();
    return {
      revision,
      skillChanges: skills,
      moves,
      zones,
      ...(document !== null && { document: readDocument(document) }),
    };
  }

  /** Stores the zone that a browser told for an agent. */
  async tellZone({ agentId, zone, toldAt }: BrowserZone): Promise<void> {
    const set = { zone, toldAt };
    const target = browserZones.agentId;
    await this.#db.insert(browserZones).values({ agentId, zone, toldAt }).onConflictDoUpdate({ target, set });
  }

  /** The newest revision; undefined where nothing is stored. */
  async current(): Promise<StoredRevision | undefined> {
    return this.before(Number.MAX_SAFE_INTEGER);
  }

  /** One revision; undefined if it never existed or has been deleted. */
  async at(revision: number): Promise<StoredRevision | undefined> {
    const row = await this.#db.select().from(configRevisions).where(eq(configRevisions.revision, revision)).get();
    return opened(row);
  }

  /** The newest of those that are older than a revision. */
  async before(revision: number): Promise<StoredRevision | undefined> {
    const row = await this.#db
      .select()
      .from(configRevisions)
      .where(lt(configRevisions.revision, revision))
      .orderBy(desc(configRevisions.revision))
      .limit(1)
      .get();
    return opened(row);
  }

  /** Revisions, the newest first, of those that are older than `before`. */
  async history(limit: number, before = Number.MAX_SAFE_INTEGER): Promise<RevisionLine[]> {
    return this.#db
      .select(LINE)
      .from(configRevisions)
      .where(lt(configRevisions.revision, before))
      .orderBy(desc(configRevisions.revision))
      .limit(limit);
  }

  /**
   * Stores a document as the next revision, with its row of the audit trail, if the newest revision is still the one
   * that it was made from. Of several writes from one revision one wins.
   * @throws IsopodError `payload_too_large`
   */
  async write(change: ConfigWrite): Promise<WriteOutcome> {
    const { base, author, note, changed, now } = change;
    const document = JSON.stringify(change.document);
    const bytes = byteLength(document);
    if (bytes > MAX_DOCUMENT_BYTES) {
      throw new IsopodError(
        "payload_too_large",
        `The configuration would have ${bytes} bytes; it may have ${MAX_DOCUMENT_BYTES}.`,
        "Take out what is not needed: the configuration holds names and settings, not contents.",
      );
    }
    const paths = changed.slice(0, MAX_CHANGED_PATHS).map((path) => head(path, MAX_PATH_CHARS));
    const revision = base + 1;
    const by = head(author, MAX_WORD_CHARS);
    const { id, agentId, sessionKey, runId } = change.audit;
    const row = sql`${revision}, ${document}, ${by}, ${note && head(note, MAX_WORD_CHARS)}, ${JSON.stringify(paths)}, ${now}`;
    const line = sql`${id}, ${now}, 'config', ${agentId}, ${sessionKey}, ${runId}, ${by}, ${`revision ${base} to ${revision}`}`;
    const after = sql`null, ${bytes}, null, ${head(paths.join(", "), MAX_WORD_CHARS)}`;
    const db = this.#db;
    // One transaction: `changes()` in the second statement is the number of rows that the first has stored.
    const [stored, , , [newest]] = await db.batch([
      db
        .insert(configRevisions)
        .select(sql`select ${row} where (select ${NEWEST} from ${configRevisions}) = ${base}`)
        .returning({ revision: configRevisions.revision }),
      db.insert(audit).select(sql`select ${line}, ${after} where changes() > 0`),
      db.delete(configRevisions).where(lte(configRevisions.revision, revision - KEPT_REVISIONS)),
      db.select({ revision: NEWEST }).from(configRevisions),
    ]);
    return { kind: stored.length > 0 ? "written" : "conflict", revision: newest?.revision ?? 0 };
  }

  /** Counts a change of skills. Returns the new count. */
  async noteSkillChange(): Promise<number> {
    const [row] = await this.#db
      .insert(skillChanges)
      .values({ id: 1, count: 1 })
      .onConflictDoUpdate({ target: skillChanges.id, set: { count: sql`${skillChanges.count} + 1` } })
      .returning({ count: skillChanges.count });
    return row?.count ?? 0;
  }

  get #db() {
    return drizzle(this.#database);
  }
}

function opened(row: typeof configRevisions.$inferSelect | undefined): StoredRevision | undefined {
  return row && { ...row, document: readDocument(row.document) };
}

function readDocument(text: string): JsonObject | null {
  try {
    const document: Json = JSON.parse(text);
    return isJsonObject(document) ? document : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
