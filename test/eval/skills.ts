import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareSkill, type Disagreement, type ExpectedSkill } from "./compare-skill.ts";

// Reads every SKILL.md below <folder>/files and compares with <folder>/expected.jsonl, a line a file: {path, expected}.

const USAGE = "npm run eval:skills -- <folder> [--json]";

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(`Name the folder with expected.jsonl and files/: ${USAGE}`);
  process.exit(1);
}

const report = await evaluate(folder).catch((error: NodeJS.ErrnoException) => {
  console.error(`${folder} cannot be read: ${error.message}. ${USAGE}`);
  process.exit(1);
});
console.log(values.json ? JSON.stringify(report) : text(report));

interface Report {
  files: number;
  agree: number;
  /** In percent, rounded down to hundredths. */
  agreement: number;
  disagreements: Disagreement[];
}

async function evaluate(from: string): Promise<Report> {
  const lines = (await readFile(join(from, "expected.jsonl"), "utf8")).split("\n").filter((line) => line.trim() !== "");
  const files = join(from, "files");
  const place = (await isFolder(files)) ? files : from;
  const disagreements: Disagreement[] = [];
  let agree = 0;
  for (const line of lines) {
    const found = await compare(place, JSON.parse(line) as ExpectedSkill);
    disagreements.push(...found);
    if (found.length === 0) agree++;
  }
  const agreement = lines.length === 0 ? 0 : Math.floor((agree / lines.length) * 10_000) / 100;
  return { files: lines.length, agree, agreement, disagreements };
}

async function compare(place: string, skill: ExpectedSkill): Promise<Disagreement[]> {
  try {
    return compareSkill(skill, await readFile(join(place, skill.path)));
  } catch (error) {
    return [{ path: skill.path, field: "file", expected: "read", got: String(error) }];
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  return found?.isDirectory() ?? false;
}

function text({ files, agree, agreement, disagreements }: Report): string {
  const rows = disagreements.map(
    ({ path, field, expected, got }) =>
      `${path}\n  ${field}: expected ${JSON.stringify(expected)}\n  ${" ".repeat(field.length)}       got ${JSON.stringify(got)}`,
  );
  return [...rows, `${agree} of ${files} files agree: ${agreement} %`].join("\n");
}
