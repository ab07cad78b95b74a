import { asc, lte } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { audit } from "../db/schema.ts";
import { newId } from "../lib/ids.ts";
import { head } from "../lib/text.ts";
import type { AuditLine } from "../security/audit-entry.ts";
import type { Fence } from "./fence.ts";
import { auditPending } from "./schema.ts";
import type { SessionRow } from "./session-row.ts";
import type { Store } from "./store.ts";

/** How many lines are told in one round trip. */
const SYNC_BATCH = 50;
/** Most characters of one field of a line. */
const MAX_FIELD_CHARS = 500;

/** What keeping an audit trail needs of the object that it is kept in. */
export interface AuditTrailDeps {
  store: Store;
  fence: Fence;
  database: D1Database;
  owner(): SessionRow;
  now(): number;
}

/**
 * What plugins change and what people command, in lines that are stored here first and then told to D1, where people
 * read them. A line has its id from the beginning, so that telling it twice is once.
 */
export class AuditTrail {
  readonly #deps: AuditTrailDeps;
  /** Whether something may be left to tell; an earlier incarnation may have left it. */
  #mayBeBehind = true;

  constructor(deps: AuditTrailDeps) {
    this.#deps = deps;
  }

  /** Whether D1 is to be told something. */
  get isBehind(): boolean {
    this.#mayBeBehind &&= this.#pending(1).length > 0;
    return this.#mayBeBehind;
  }

  /** Stores lines: when it returns, or with the commit that is under way. */
  write(lines: readonly AuditLine[]): void {
    if (lines.length === 0) return;
    const { store, fence, now } = this.#deps;
    const at = now();
    // Lines of one moment sort as they were written.
    const id = newId("aud", at);
    const rows = lines.map((line, i) => ({ body: { id: `${id}${String(i).padStart(3, "0")}`, at, ...bounded(line) } }));
    this.#mayBeBehind = true;
    fence.write(() => {
      for (const row of rows) store.insert(auditPending).values(row).run();
    });
  }

  /** Tells D1 what it does not know. @throws whatever D1 throws: what was not told is told the next time */
  async sync(): Promise<void> {
    if (!this.isBehind) return;
    const { store, fence, database, owner } = this.#deps;
    const { agentId, key: sessionKey } = owner();
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
