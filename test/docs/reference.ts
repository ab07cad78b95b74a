/**
 * Keeps the pages that list every field of the configuration in step with its schema.
 *
 *   node test/docs/reference.ts            writes src/docs/configuration-reference.md and configuration-connections.md
 *   node test/docs/reference.ts --check    writes nothing, and exits 1 where a page is not up to date
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { referencePages } from "./reference-page.ts";

const FOLDER = join(import.meta.dirname, "../../src/docs");

for (const [name, wanted] of Object.entries(referencePages())) {
  const file = join(FOLDER, name);
  const isKept = existsSync(file) && readFileSync(file, "utf8") === wanted;
  if (!process.argv.includes("--check")) {
    if (!isKept) writeFileSync(file, wanted);
    console.log(isKept ? `${name} is up to date.` : `${name} was written anew.`);
  } else if (!isKept) {
    console.error(`src/docs/${name} is not what the schema says. Run: npm run docs:reference`);
    process.exitCode = 1;
  }
}
