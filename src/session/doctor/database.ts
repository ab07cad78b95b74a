import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import journal from "../../../migrations/d1/meta/_journal.json";
import { messageOf } from "../../lib/errors.ts";
import type { Check } from "./check.ts";
import type { Patient } from "./patient.ts";

/** The migrations that this version brings, by the names under which wrangler notes them. */
const KNOWN: readonly string[] = journal.entries.map(({ tag }) => `${tag}.sql`);

const APPLY = "Run: wrangler d1 migrations apply DB --remote (locally, npm start does it).";

/** Whether D1 answers, and has the tables that this version wants. */
export async function examineDatabase({ env }: Patient): Promise<Check[]> {
  const head = { id: "database.migrations", area: "database" } as const;
  const applied = await appliedIn(env.DB);
  if (applied === undefined) {
    return [{ ...head, status: "fail", message: "The database has no tables yet.", fix: APPLY }];
  }
  const missing = KNOWN.filter((name) => !applied.includes(name));
  if (missing.length > 0) {
    return [{ ...head, status: "fail", message: `The database lacks ${missing.join(", ")}.`, fix: APPLY }];
  }
  const newer = applied.filter((name) => !KNOWN.includes(name));
  if (newer.length > 0) {
    const message = `The database has ${newer.join(", ")}, of which this version knows nothing.`;
    return [{ ...head, status: "warn", message, fix: "Deploy the version that the database was migrated for." }];
  }
  return [{ ...head, status: "ok", message: `D1 answers, and all ${KNOWN.length} migrations are applied.` }];
}

/** Undefined where none was ever applied. */
async function appliedIn(database: D1Database): Promise<string[] | undefined> {
  try {
    const rows = await drizzle(database).all<{ name: string }>(sql`select name from d1_migrations order by id`);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (/no such table/i.test(`${messageOf(error)} ${messageOf((error as Error).cause)}`)) return undefined;
    throw error;
  }
}
