import { and, asc, desc, eq, lte } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { type ListCursor, listedAfter } from "../db/list-cursor.ts";
import { audit } from "../db/schema.ts";
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

/** A page of an agent's audit trail in D1, the latest first. */
export async function pageOfAudit(
  database: D1Database,
  { agentId, kind, limit, before }: AuditQuery,
): Promise<(typeof audit.$inferSelect)[]> {
  const ofKind = kind === undefined ? undefined : eq(audit.kind, kind);
  const rows = drizzle(database)
    .select()
    .from(audit)
    .where(and(eq(audit.agentId, agentId), ofKind, listedAfter(audit.at, audit.id, before)));
  return rows.orderBy(desc(audit.at), desc(audit.id)).limit(limit);
}

interface AuditQuery {
  agentId: string;
  /** Only entries of this kind. */
  kind: string | undefined;
  limit: number;
  before: ListCursor | undefined;
}
