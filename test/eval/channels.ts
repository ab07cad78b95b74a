import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { evaluateChannels } from "./channel-report.ts";

// Sends payloads as platforms send them, and texts as models write them, through the channels.

const USAGE = "npm run eval:channels -- <folder> [--json] [--dump <file>]";

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false }, dump: { type: "string" } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(`Name the folder with payloads/ and format/: ${USAGE}`);
  process.exit(1);
}
for (const level of ["debug", "info", "warn", "error"] as const) console[level] = () => undefined;

const { report, dumps } = await evaluateChannels(folder);
if (values.dump !== undefined) {
  await writeFile(values.dump, dumps.map((dump) => `${JSON.stringify(dump)}\n`).join(""));
}
console.log(JSON.stringify(report, null, values.json ? 0 : 2));
if (report.payloads.failed.length + report.format.failed.length > 0) process.exitCode = 1;
