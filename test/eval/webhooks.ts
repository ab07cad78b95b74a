import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { judgeVector, runVectors, type VectorFile } from "./webhook-vectors.ts";

// Sends signature vectors through the route of webhooks: the clock and the outside are the vector's.

const USAGE = "npm run eval:webhooks -- <file> [--json] [--dump <file>]";

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false }, dump: { type: "string" } },
  allowPositionals: true,
});
const [path] = positionals;
if (path === undefined) {
  console.error(`Name the file with the vectors: ${USAGE}`);
  process.exit(1);
}
// What a channel logs of a wrong signature is not the report.
for (const level of ["debug", "info", "warn", "error"] as const) console[level] = () => undefined;

const file = JSON.parse(await readFile(path, "utf8")) as VectorFile;
const results = await runVectors(file);
if (values.dump !== undefined) {
  await writeFile(values.dump, results.map(({ dumped }) => `${JSON.stringify(dumped)}\n`).join(""));
}
const scored = results.filter(({ vector }) => !("unsure" in vector && vector.unsure));
const failed = scored.flatMap(({ vector, dumped }) => {
  const why = judgeVector(vector, dumped);
  return why === "" ? [] : [{ scheme: vector.scheme, name: vector.name, why }];
});
const report = { vectors: scored.length, passed: scored.length - failed.length, failed };
console.log(JSON.stringify(report, null, values.json ? 0 : 2));
if (failed.length > 0) process.exitCode = 1;
