import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { detectInjection } from "../../src/security/external-content-detection.ts";
import { casesFailed, type ExternalContentCase } from "./external-content-cases.ts";

// Measures the detection of injections on <folder>/attacks.jsonl and benign.jsonl, a line a text: {text, source}, and
// checks the cases of <folder>/external-content-cases.json, if there is one.

const USAGE = "npm run eval:injection -- <folder> [--json]";

interface Text {
  text: string;
  source: string;
}

interface Found {
  attacks: number;
  detected: number;
  /** Share of 1. */
  detection: number;
}

interface Report extends Found {
  benign: number;
  falsePositives: number;
  /** Share of 1. */
  falsePositiveRate: number;
  bySource: Record<string, Found>;
  casesFailed: string[];
}

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(`Name the folder with attacks.jsonl and benign.jsonl: ${USAGE}`);
  process.exit(1);
}

const report = await evaluate(folder).catch((error: Error) => {
  console.error(`${folder} cannot be read: ${error.message}. ${USAGE}`);
  process.exit(1);
});
console.log(values.json ? JSON.stringify(report) : report);

async function evaluate(from: string): Promise<Report> {
  const attacks = await texts(join(from, "attacks.jsonl"));
  const benign = await texts(join(from, "benign.jsonl"));
  const falsePositives = benign.filter(isDetected).length;
  const sources = [...new Set(attacks.map(({ source }) => source))].sort();
  return {
    ...found(attacks),
    benign: benign.length,
    falsePositives,
    falsePositiveRate: share(falsePositives, benign.length),
    bySource: Object.fromEntries(
      sources.map((source) => [source, found(attacks.filter((attack) => attack.source === source))]),
    ),
    casesFailed: casesFailed(await cases(join(from, "external-content-cases.json"))),
  };
}

function found(attacks: readonly Text[]): Found {
  const detected = attacks.filter(isDetected).length;
  return { attacks: attacks.length, detected, detection: share(detected, attacks.length) };
}

function isDetected({ text }: Text): boolean {
  return detectInjection(text).length > 0;
}

/** Four digits after the point; 0 of nothing. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}

async function texts(path: string): Promise<Text[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.flatMap((line, at): Text[] => {
    if (line.trim() === "") return [];
    const { text, source = "" } = JSON.parse(line) as Partial<Text>;
    if (typeof text !== "string") throw new Error(`line ${at + 1} of ${path} has no text`);
    return [{ text, source }];
  });
}

async function cases(path: string): Promise<ExternalContentCase[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return '{"cases":[]}';
    throw error;
  });
  return (JSON.parse(text) as { cases: ExternalContentCase[] }).cases;
}
