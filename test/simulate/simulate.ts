import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Problem, runCommand } from "../../src/cli/problem.ts";
import type { Trace } from "./chain.ts";
import { tables, withTables } from "./page.ts";
import { recordTrace } from "./record-trace.ts";
import { simulate } from "./simulation.ts";

const TRACE = join(import.meta.dirname, "trace.json");
const PAGE = join(import.meta.dirname, "..", "..", "src", "docs", "placement.md");
const USAGE = `Usage: npm run simulate:regions -- [options]

Records what turns of the real Worker wait for before they ask the model, and lays it over round-trip times between
regions: how long users in eight cities wait for the first token beyond the model's own time.

  --json      Print one line of JSON
  --write     Store the trace and the tables of the documentation
  --check     Fail if the stored trace is not what was recorded now, or the documentation is not made from it
  --stored    Use the stored trace instead of recording one
  --help      Show this`;

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      stored: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const trace: Trace = values.stored ? JSON.parse(await readFile(TRACE, "utf8")) : await recordTrace();
  const simulation = simulate(trace);
  const page = await readFile(PAGE, "utf8");
  if (values.write) {
    await writeFile(TRACE, textOf(trace));
    await writeFile(PAGE, withTables(page, simulation));
  }
  if (values.check) {
    const again = "Run: npm run simulate:regions -- --write";
    const stored = await readFile(TRACE, "utf8");
    if (stored !== textOf(trace)) throw new Problem(`The recorded trace has changed:\n${textOf(trace)}${again}`);
    if (page !== withTables(page, simulation)) throw new Problem(`src/docs/placement.md is out of date. ${again}`);
  }
  const { placements: _, ...summary } = simulation;
  if (values.json) console.log(JSON.stringify(summary));
  else if (!values.check) console.log(tables(simulation));
}

function textOf(trace: Trace): string {
  return `${JSON.stringify(trace, undefined, 2)}\n`;
}

await runCommand(run);
