import { spawn } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";

/**
 * Puts one bug after the other into a copy of the code and tortures it. A bug that no check finds lives, and then this
 * fails: the torture does not see what it should.
 */

const ROOT = resolve(import.meta.dirname, "../..");
const MUTANTS = join(import.meta.dirname, "mutants");
const COPIED = ["src", "test", "migrations", "package.json", "tsconfig.json", "wrangler.toml"];
const TORTURE = ["--runs", "80", "--kills", "6", "--faults", "30", "--seed", "11", "--json"];
const BREACHES = [
  ...["lost", "doubled", "gaps", "repeats", "stuck", "parked", "disordered"],
  ...["doubledInRequest", "undone", "untold", "missedSlots", "doubledSlots", "failed"],
];

const USAGE = `Usage: npm run torture:mutants -- [name ...]

  name      One of test/torture/mutants (default: all of them, about three minutes each)
  --help    Show this`;

async function tortureMutants(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { help: { type: "boolean" } }, allowPositionals: true });
  if (values.help) return console.log(USAGE);
  const known = (await readdir(MUTANTS)).filter((file) => file.endsWith(".patch")).map((file) => file.slice(0, -6));
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is no mutant '${unknown}'. Known: ${known.join(", ")}`);
  const alive: string[] = [];
  for (const name of positionals.length > 0 ? positionals : known) {
    const found = await breachesOf(name);
    console.log(`${found === "" ? "LIVES" : "dies "} ${name} ${found}`);
    if (found === "") alive.push(name);
  }
  if (alive.length === 0) return;
  console.log(`${alive.length} live: ${alive.join(", ")}`);
  process.exitCode = 1;
}

/** The breaches that the torture finds in a copy with the bug, by kind; empty where it finds none. */
async function breachesOf(name: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "isopod-mutant-"));
  try {
    for (const path of COPIED) await cp(join(ROOT, path), join(copy, path), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
    const patch = join(MUTANTS, `${name}.patch`);
    const applied = await run("git", ["apply", patch], copy);
    if (applied.code !== 0) throw new Error(`${patch} no longer fits the code:\n${applied.said}`);
    const { said } = await run(process.execPath, ["test/torture/torture.ts", ...TORTURE], copy);
    return summary(said, await readFile(patch, "utf8"));
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 3 });
  }
}

function summary(said: string, patch: string): string {
  const last = said.trim().split("\n").at(-1) ?? "";
  if (!last.startsWith("{"))
    throw new Error(`The torture did not come to its end with:\n${patch}\n${said.slice(-2000)}`);
  const counts: Record<string, unknown> = JSON.parse(last);
  return BREACHES.flatMap((kind) => (counts[kind] === 0 ? [] : [`${kind} ${counts[kind]}`])).join(", ");
}

async function run(command: string, args: string[], cwd: string): Promise<{ code: number; said: string }> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number>((end) => child.once("close", (code) => end(code ?? 1)));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, said: `${error}${out}` };
}

await tortureMutants();
