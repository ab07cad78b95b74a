/**
 * Keeps the page that lists every field of the configuration in step with its schema.
 *
 *   node test/docs/reference.ts            writes src/docs/configuration-reference.md
 *   node test/docs/reference.ts --check    writes nothing, and exits 1 where the page is not up to date
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { referencePage } from "./reference-page.ts";

const FILE = join(import.meta.dirname, "../../src/docs/configuration-reference.md");

const wanted = referencePage();
const isKept = readFileSync(FILE, "utf8") === wanted;

if (!process.argv.includes("--check")) {
  if (!isKept) writeFileSync(FILE, wanted);
  console.log(isKept ? "The reference is up to date." : "The reference was written anew.");
} else if (!isKept) {
  console.error("src/docs/configuration-reference.md is not what the schema says. Run: npm run docs:reference");
  process.exitCode = 1;
}
