import { and, asc, desc, eq, inArray, lte } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { type ListCursor, listedAfter } from "../db/list-cursor.ts";
import { audit, runs } from "../db/schema.ts";
import { newId } from "../lib/ids.ts";
import { head } from "../lib/text.ts";
import type { AuditLine } from "../security/audit-entry.ts";
import type { Fence } from "./fence.ts";
import { auditPending } from "./schema.ts";
import type { SessionRow } from "./session-row.ts";
import type { Store } from "./store.ts";

/** Lines written to D1 in one round trip. */
const SYNC_BATCH = 50;
/** Most characters of one field of a line. */
const MAX_FIELD_CHARS = 500;

/** Dependencies of `AuditTrail`. */
export interface AuditTrailDeps {
  store: Store;
  fence: Fence;
  database: D1Database;
  session(): SessionRow;
  now(): number;
}

/**
 * Changes by plugins and commands by people. A line is stored here first and copied to D1, where people read it. Its id
 * is fixed when it is written, so copying it twice stores it once.
 */
export class AuditTrail {
  readonly #deps: AuditTrailDeps;
  /** Whether lines may be pending; an earlier incarnation may have left some. */
  #mayBeBehind = true;

  constructor(deps: AuditTrailDeps) {
    this.#deps = deps;
  }

  /** Whether lines have yet to be copied to D1. */
  get isBehind(): boolean {
    this.#mayBeBehind &&= this.#pending(1).length > 0;
    return this.#mayBeBehind;
  }

  /** Stores lines: at once, or with the current commit. */
  write(lines: readonly AuditLine[]): void {
    if (lines.length === 0) return;
    const { store, fence, now } = this.#deps;
    const at = now();
    // Lines of one instant sort in the order of writing.
    const id = newId("aud", at);
    const rows = lines.map((line, i) => ({ body: { id: `${id}${String(i).padStart(3, "0")}`, at, ...bounded(line) } }));
    this.#mayBeBehind = true;
    fence.write(() => {
      for (const row of rows) store.insert(auditPending).values(row).run();
    });
  }

  /**
   * Copies pending lines to D1.
   * @throws any error of D1; what was not copied is copied by the next call
   */
  async sync(): Promise<void> {
    if (!this.isBehind) return;
    const { store, fence, database, session } = this.#deps;
    const { agentId, key: sessionKey } = session();
    const db = drizzle(database);
    for (let rows = this.#pending(SYNC_BATCH); rows.length > 0; rows = this.#pending(SYNC_BATCH)) {
      const lines = rows.flatMap(({ body }) => (body === undefined ? [] : [{ agentId, sessionKey, ...body }]));
      const [first, ...rest] = lines.map((line) => db.insert(audit).values(line).onConflictDoNothing());
      if (first !== undefined) await db.batch([first, ...rest]);
      const last = rows.at(-1)?.id ?? 0;
      fence.write(() => store.delete(auditPending).where(lte(auditPending.id, last)).run());
    }
  }

  #pending(limit: number) {
    return this.#deps.store.select().from(auditPending).orderBy(asc(auditPending.id)).limit(limit).all();
  }
}

function bounded(line: AuditLine): AuditLine {
  const { by, subject, detail } = line;
  return {
    ...line,
    by: head(by, MAX_FIELD_CHARS),
    subject: head(subject, MAX_FIELD_CHARS),
    ...(detail !== undefined && { detail: head(detail, MAX_FIELD_CHARS) }),
  };
}

/** One line as people read it. */
export type AuditRow = typeof audit.$inferSelect;

/**
 * A page of an agent's audit trail in D1, the latest first, with what concerns no agent in particular (logins, tokens,
 * pairings). Its runs are lines, too, read from the index of runs.
 */
export async function pageOfAudit(
  database: D1Database,
  { agentId, kind, limit, before }: AuditQuery,
): Promise<AuditRow[]> {
  const lines = kind === "run" ? [] : await storedLines(database, { agentId, kind, limit, before });
  const ran = kind === undefined || kind === "run" ? await runLines(database, { agentId, limit, before }) : [];
  return [...lines, ...ran].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).slice(0, limit);
}

function storedLines(database: D1Database, { agentId, kind, limit, before }: AuditQuery): Promise<AuditRow[]> {
  const ofKind = kind === undefined ? undefined : eq(audit.kind, kind);
  const ofAgent = inArray(audit.agentId, [agentId, ""]);
  const rows = drizzle(database)
    .select()
    .from(audit)
    .where(and(ofAgent, ofKind, listedAfter(audit.at, audit.id, before)));
  return rows.orderBy(desc(audit.at), desc(audit.id)).limit(limit).all();
}

async function runLines(
  database: D1Database,
  { agentId, limit, before }: Omit<AuditQuery, "kind">,
): Promise<AuditRow[]> {
  const rows = await drizzle(database)
    .select()
    .from(runs)
    .where(and(eq(runs.agentId, agentId), listedAfter(runs.acceptedAt, runs.id, before)))
    .orderBy(desc(runs.acceptedAt), desc(runs.id))
    .limit(limit);
  return rows.map(({ id, acceptedAt: at, sessionKey, status, model, errorCode, inputTokens, outputTokens }) => ({
    ...{ id, at, kind: "run", agentId, sessionKey, runId: id, by: model ?? "", subject: status },
    ...{ bytesBefore: null, bytesAfter: null, hash: null },
    detail: [...(errorCode === null ? [] : [errorCode]), `${inputTokens} tokens in, ${outputTokens} out`].join("; "),
  }));
}

/** Lines of an export that are read at once. */
const EXPORT_PAGE = 500;

/** An agent's audit trail as JSON Lines, the latest first, back to an instant (milliseconds since the epoch). */
export async function* exportAudit(database: D1Database, agentId: string, since: number): AsyncGenerator<string> {
  let before: ListCursor | undefined;
  for (;;) {
    const page = await pageOfAudit(database, { agentId, kind: undefined, limit: EXPORT_PAGE, before });
    const wanted = page.filter(({ at }) => at >= since);
    if (wanted.length > 0) yield wanted.map((line) => `${JSON.stringify(line)}\n`).join("");
    const last = page.at(-1);
    if (page.length < EXPORT_PAGE || wanted.length < page.length || last === undefined) return;
    before = { at: last.at, key: last.id };
  }
}

/** Lines that one call deletes. */
const MAX_PRUNED = 5_000;

/** Deletes lines that are older than an instant; a long trail is done in several calls. Idempotent. */
export async function pruneAudit(database: D1Database, before: number): Promise<void> {
  await database
    .prepare("delete from audit where id in (select id from audit where at < ? order by at limit ?)")
    .bind(before, MAX_PRUNED)
    .run();
}

/** Which lines of the audit trail. */
interface AuditQuery {
  agentId: string;
  /** Only lines of this kind. */
  kind: string | undefined;
  limit: number;
  before: ListCursor | undefined;
}
