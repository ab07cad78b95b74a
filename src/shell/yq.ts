import type { Command, ResolvedCommandContext } from "just-bash/browser";
import { parseAllDocuments, stringify } from "yaml";
import { messageOf } from "../lib/errors.ts";

const MAX_YAML_BYTES = 256 * 1024;
const USAGE = "usage: yq [-o json] [-p json] [-r] FILTER [FILE], the filter in the language of jq\n";

interface YqArguments {
  filter: string;
  path: string | undefined;
  json: boolean;
}

/** `yq`: parses YAML or JSON, runs a jq filter, and prints YAML or, with `-o json`, JSON. It changes no file. */
export const yq: Command = {
  name: "yq",
  async execute(args, context) {
    const options = parseArgs(args);
    if (typeof options === "string") return { stdout: "", stderr: options, exitCode: 2 };
    try {
      const values = parseYaml(await readSource(options.path, context));
      return await runJq(values, options, context);
    } catch (thrown) {
      return { stdout: "", stderr: `yq: ${messageOf(thrown)}\n`, exitCode: 1 };
    }
  },
};

/** @returns an error message if the arguments are wrong */
function parseArgs(args: readonly string[]): YqArguments | string {
  let json = false;
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [option = "", joined] = arg.split("=", 2);
    if (option === "-o" || option === "-p" || option === "--output-format" || option === "--input-format") {
      const format = joined ?? args[++at] ?? "";
      if (!["json", "j", "yaml", "y"].includes(format)) return `yq: it knows json and yaml, not ${format}\n${USAGE}`;
      if (option === "-o" || option === "--output-format") json = format.startsWith("j");
    } else if (["-j", "-ojson", "--tojson"].includes(arg)) json = true;
    else if (!["-r", "-y", "-P", "-e", "eval", "e"].includes(arg)) operands.push(arg);
  }
  const wrong = operands.find((arg) => arg.length > 1 && arg.startsWith("-"));
  if (wrong !== undefined) return `yq: it does not know ${wrong}\n${USAGE}`;
  const [filter = ".", path, ...more] = operands;
  return more.length > 0 ? USAGE : { filter, path, json };
}

async function readSource(path: string | undefined, { fs, cwd, stdin }: ResolvedCommandContext): Promise<string> {
  if (path !== undefined && path !== "-") return await fs.readFile(fs.resolvePath(cwd, path));
  return new TextDecoder().decode(Uint8Array.from(String(stdin), (character) => character.charCodeAt(0)));
}

/** @throws Error if it is too large or not YAML */
function parseYaml(source: string): unknown[] {
  if (source.length > MAX_YAML_BYTES) throw new Error(`it takes ${MAX_YAML_BYTES / 1024} KiB at most`);
  const documents = parseAllDocuments(source, { logLevel: "silent" });
  return [...documents].map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount: 100 });
  });
}

async function runJq(
  values: readonly unknown[],
  { filter, json }: YqArguments,
  { exec, cwd, signal }: ResolvedCommandContext,
) {
  const stdin = values.map((value) => JSON.stringify(value)).join("\n");
  const answer = await exec?.("/usr/bin/jq", {
    args: [...(json ? [] : ["-c"]), filter],
    cwd,
    stdin,
    ...(signal && { signal }),
  });
  if (answer === undefined) return { stdout: "", stderr: "yq: jq is not here\n", exitCode: 127 };
  const stderr = answer.stderr.replaceAll("jq:", "yq:");
  if (json || answer.exitCode !== 0) return { stdout: answer.stdout, stderr, exitCode: answer.exitCode };
  const results = answer.stdout.split("\n").filter((line) => line !== "");
  const shown = results.map((line) => {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? `${value}\n` : stringify(value);
  });
  return { stdout: shown.join(""), stderr, exitCode: 0 };
}
