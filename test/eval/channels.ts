import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { dumpPayload, type JudgedPayload, judgePayload, type PayloadDump } from "./channel-payloads.ts";

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

const names = (await readdir(join(folder, "payloads"))).filter((name) => name.endsWith(".jsonl"));
const payloads = (await Promise.all(names.map((name) => lines<JudgedPayload>(join(folder, "payloads", name))))).flat();
const dumps: PayloadDump[] = [];
for (const payload of payloads) dumps.push(await dumpPayload(payload));
const by: Record<string, [passed: number, total: number]> = {};
const failed: { platform: string; name: string; why: string }[] = [];
for (const payload of payloads.filter(({ unsure }) => !unsure)) {
  const { platform, name } = payload;
  const counts = by[platform] ?? [0, 0];
  by[platform] = counts;
  const why = judgePayload(payload, dumps);
  counts[1]++;
  if (why === "") counts[0]++;
  else failed.push({ platform, name, why });
}
const total = payloads.filter(({ unsure }) => !unsure).length;
const report = {
  payloads: { total, unsure: payloads.length - total, passed: total - failed.length, by, failed },
};
if (values.dump !== undefined) await writeFile(values.dump, dumps.map((dump) => `${JSON.stringify(dump)}\n`).join(""));
console.log(values.json ? JSON.stringify(report) : report);
if (failed.length > 0) process.exitCode = 1;

async function lines<Line>(path: string): Promise<Line[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Line);
}
