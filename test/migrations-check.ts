// Fails where a schema says something that no migration does yet. Writes nothing into the project.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const DATABASES = [
  { folder: "migrations/session", schema: "./src/session-store/schema.ts", driver: "durable-sqlite" },
  { folder: "migrations/d1", schema: "./src/db/schema.ts", driver: "d1-http" },
  { folder: "migrations/memory", schema: "./src/db/memory-schema.ts", driver: "d1-http" },
];

const behind = DATABASES.filter((database) => !isInStep(database));
for (const { folder, schema } of behind) {
  console.error(`${folder} is behind ${schema}: run \`npm run migrations:generate\` and review what it writes.`);
}

// New sessions start from the whole schema, which drizzle-kit writes, too.
const WHOLE_SCHEMA = "migrations/session/schema.sql";
const exported = execFileSync("drizzle-kit", ["export", "--config", "test/drizzle.session.config.ts"], {
  stdio: ["ignore", "pipe", "ignore"],
}).toString();
const isWhole = exported === readFileSync(WHOLE_SCHEMA, "utf8");
if (!isWhole) console.error(`${WHOLE_SCHEMA} is behind the schema: run \`npm run migrations:generate\`.`);
process.exitCode = behind.length === 0 && isWhole ? 0 : 1;

function isInStep({ folder, schema, driver }: (typeof DATABASES)[number]): boolean {
  const copy = mkdtempSync(join(tmpdir(), "isopod-migrations-"));
  try {
    cpSync(folder, copy, { recursive: true });
    const before = sqlFiles(copy);
    const out = relative(process.cwd(), copy);
    const args = ["generate", "--dialect=sqlite", `--driver=${driver}`, `--schema=${schema}`, `--out=${out}`];
    execFileSync("drizzle-kit", args, { stdio: ["ignore", "ignore", "inherit"] });
    return sqlFiles(copy).length === before.length;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function sqlFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".sql"));
}
