import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { evaluate, FILES, type ScheduleCase } from "./schedule-cases.ts";

// Runs the code of heartbeats, jobs and hooks over a folder with heartbeat.jsonl, cron.jsonl, cron-disagreements.jsonl,
// every-at.jsonl and imports.jsonl, a case a line.

const USAGE = "npm run eval:schedule -- <folder> [--json]";

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(`Name the folder with the cases: ${USAGE}`);
  process.exit(1);
}

const files = await Promise.all(FILES.map(async (file) => [file, await read(join(folder, file))] as const)).catch(
  (error: Error) => {
    console.error(`${folder} cannot be read: ${error.message}. ${USAGE}`);
    process.exit(1);
  },
);
const report = evaluate(Object.fromEntries(files));
console.log(values.json ? JSON.stringify(report) : report);
if (report.failed.length > 0) process.exitCode = 1;

async function read(path: string): Promise<ScheduleCase[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as ScheduleCase);
}
