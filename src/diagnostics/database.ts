import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import journal from "../../migrations/d1/meta/_journal.json";
import memoryJournal from "../../migrations/memory/meta/_journal.json";
import { messageOf } from "../lib/errors.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** A database, and its migrations in this version, by the names that wrangler records. */
interface Migrated {
  id: string;
  binding: "DB" | "MEMORY";
  known: readonly string[];
}

const DATABASES: readonly Migrated[] = [
  { id: "database.migrations", binding: "DB", known: namesOf(journal) },
  { id: "database.memory-migrations", binding: "MEMORY", known: namesOf(memoryJournal) },
];

function namesOf({ entries }: { entries: { tag: string }[] }): string[] {
  return entries.map(({ tag }) => `${tag}.sql`);
}

/** Checks that the D1 databases answer, and that all migrations of this version are applied. */
export async function examineDatabase({ bindings }: DiagnosticsContext): Promise<Check[]> {
  // A missing binding is a check of its own.
  const bound = DATABASES.filter(({ binding }) => binding === "DB" || bindings[binding]);
  return Promise.all(bound.map((database) => examineMigrations(bindings[database.binding], database)));
}

async function examineMigrations(database: D1Database, { id, binding, known }: Migrated): Promise<Check> {
  const head = { id, area: "database" } as const;
  const fix = `Run: wrangler d1 migrations apply ${binding} --remote (locally, npm start does it).`;
  const applied = await appliedIn(database);
  if (applied === undefined) {
    return { ...head, status: "fail", message: `The database ${binding} has no tables yet.`, fix };
  }
  const missing = known.filter((name) => !applied.includes(name));
  if (missing.length > 0) {
    return { ...head, status: "fail", message: `The database ${binding} lacks ${missing.join(", ")}.`, fix };
  }
  const newer = applied.filter((name) => !known.includes(name));
  if (newer.length > 0) {
    const message = `The database ${binding} has ${newer.join(", ")}, which this version does not have.`;
    return { ...head, status: "warn", message, fix: "Deploy the version that the database was migrated for." };
  }
  return { ...head, status: "ok", message: `${binding} answers, and all ${known.length} migrations are applied.` };
}

/** The names of the applied migrations; undefined where none was ever applied. */
async function appliedIn(database: D1Database): Promise<string[] | undefined> {
  try {
    const rows = await drizzle(database).all<{ name: string }>(sql`select name from d1_migrations order by id`);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (/no such table/i.test(messageOf(error))) return undefined;
    throw error;
  }
}
