import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Problem, runCommand } from "../../src/cli/problem.ts";
import { costSentence, costTables, freeTable } from "./cost.ts";
import { tables, withMade } from "./page.ts";
import { type Recorded, recordTrace } from "./record-trace.ts";
import { simulate } from "./simulation.ts";

const TRACE = join(import.meta.dirname, "trace.json");
const ROOT = join(import.meta.dirname, "..", "..");

/** The pages with something that is made from what was recorded. */
const PAGES: Readonly<Record<string, (recorded: Recorded) => string>> = {
  "src/docs/placement.md": ({ chains }) => tables(simulate(chains)),
  "src/docs/benchmarks.md": ({ operations }) => `${costTables(operations)}\n\n${freeTable(operations)}`,
  "README.md": ({ operations }) => costSentence(operations),
};

const USAGE = `Usage: npm run simulate:regions -- [options]

Records what turns of the real Worker wait for before they ask the model, and lays it over round-trip times between
regions: how long users in eight cities wait for the first token beyond the model's own time.

  --json      Print one line of JSON
  --write     Store what was recorded, and the tables of the documentation
  --check     Fail if something else is stored, or the documentation is not made from it
  --stored    Use what is stored instead of recording
  --help      Show this`;

const AGAIN = "Run: npm run simulate:regions -- --write";

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
  const recorded: Recorded = values.stored ? JSON.parse(await readFile(TRACE, "utf8")) : await recordTrace();
  const simulation = simulate(recorded.chains);
  if (values.write) await writeFile(TRACE, textOf(recorded));
  if (values.check && (await readFile(TRACE, "utf8")) !== textOf(recorded)) {
    throw new Problem(`What turns wait for and use has changed:\n${textOf(recorded)}${AGAIN}`);
  }
  for (const [name, make] of Object.entries(PAGES)) {
    const path = join(ROOT, name);
    const page = await readFile(path, "utf8");
    const made = withMade(page, make(recorded));
    if (values.check && page !== made) throw new Problem(`${name} is out of date. ${AGAIN}`);
    if (values.write && page !== made) await writeFile(path, made);
  }
  const { placements: _, ...summary } = simulation;
  if (values.json) console.log(JSON.stringify(summary));
  else if (!values.check) console.log(tables(simulation));
}

function textOf(recorded: Recorded): string {
  return `${JSON.stringify(recorded, undefined, 2)}\n`;
}

await runCommand(run);
