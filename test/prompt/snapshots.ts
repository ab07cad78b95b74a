/**
 * Keeps the prompts of typical turns as files, so that a change of words is seen in review.
 *
 *   node test/prompt/snapshots.ts            writes test/fixtures/prompts/*.md
 *   node test/prompt/snapshots.ts --check    writes nothing, shows what differs and then exits 1
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { diff } from "node:util";
import { build } from "esbuild";

const FOLDER = join(import.meta.dirname, "../fixtures/prompts");

const { TURNS, promptText, renderSystemPrompt } = await bundled();
const wanted = new Map(TURNS.map((turn) => [`${turn.name}.md`, keptText(turn)]));
mkdirSync(FOLDER, { recursive: true });
const kept = new Map(readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), "utf8")]));
const drifted = [...new Set([...kept.keys(), ...wanted.keys()])].filter((file) => kept.get(file) !== wanted.get(file));

if (process.argv.includes("--check")) {
  for (const file of drifted.toSorted()) console.error(difference(file, kept.get(file) ?? "", wanted.get(file) ?? ""));
  if (drifted.length > 0) {
    console.error("The kept prompts differ from the rendered ones. If that is meant: node test/prompt/snapshots.ts");
    process.exitCode = 1;
  }
} else {
  for (const file of drifted) {
    const text = wanted.get(file);
    if (text === undefined) rmSync(join(FOLDER, file));
    else writeFileSync(join(FOLDER, file), text);
  }
  console.log(`${wanted.size} prompts, ${drifted.length} changed`);
}

/** What a model is sent in a turn: the system prompt, what people wrote, and the tools. */
function keptText({ input, messages, tools }: (typeof TURNS)[number]): string {
  const said = messages.map((text) => `<message role="user">\n${text}\n</message>`);
  const offered = tools.map(
    ({ name, description, parameters }) => `- ${name}: ${description}\n  ${JSON.stringify(parameters)}`,
  );
  const size = tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  return `${[promptText(renderSystemPrompt(input)), ...said, `<tools count="${tools.length}" chars="${size}">`, ...offered, "</tools>"].join("\n\n")}\n`;
}

/** The module that renders the turns, bundled because it imports texts as the Worker does. */
async function bundled(): Promise<typeof import("./turns.ts") & typeof import("../../src/prompt/system-prompt.ts")> {
  const folder = mkdtempSync(join(tmpdir(), "isopod-prompts-"));
  const outfile = join(folder, "turns.mjs");
  const contents = 'export * from "./turns.ts"; export * from "../../src/prompt/system-prompt.ts";';
  try {
    await build({
      stdin: { contents, resolveDir: import.meta.dirname },
      ...{ bundle: true, format: "esm", platform: "node", outfile },
      loader: { ".md": "text", ".sh": "text", ".sql": "text" },
      // A bundled library may still require Node modules.
      banner: {
        js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
      },
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The lines that differ: kept ones with a minus, rendered ones with a plus. */
function difference(file: string, keptText: string, renderedText: string): string {
  const SIGNS = { [-1]: "+ ", 0: "", 1: "- " };
  const changed = diff(keptText.split("\n"), renderedText.split("\n")).filter(([sign]) => sign !== 0);
  return [file, ...changed.map(([sign, line]) => `${SIGNS[sign]}${line}`), ""].join("\n");
}
