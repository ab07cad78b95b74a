import type { Command, ResolvedCommandContext } from "just-bash/browser";

type Result = Awaited<ReturnType<NonNullable<ResolvedCommandContext["origCommand"]>>>;

/** The options of a `bash` command, and where its script comes from. */
interface BashInvocation {
  /** `set -e -o pipefail` and so on. */
  set: string[];
  from: "argument" | "stdin" | "file";
  operands: string[];
}

/** Options of `bash` that `set` also takes. */
const SETTABLE = "efuvxC";

/** `bash` and `sh` with the options that scripts commonly use; just-bash's own take only `-c`. */
export const bashCommands: Command[] = ["bash", "sh"].map((name) => ({
  name,
  async execute(args, context) {
    const { origCommand } = context;
    if (origCommand === undefined) return { stdout: "", stderr: `${name}: not here\n`, exitCode: 127 };
    return withByteCount(await origCommand(await supportedArguments(name, args, context)));
  },
}));

/** The equivalent arguments for just-bash's own `bash`. */
async function supportedArguments(
  name: string,
  args: readonly string[],
  context: ResolvedCommandContext,
): Promise<string[]> {
  const { set, from, operands } = parseArguments(args);
  const prefix = set.length > 0 ? `set ${set.join(" ")}; ` : "";
  const [first = "", ...others] = operands;
  if (from === "argument") return ["-c", prefix + first, ...(others.length > 0 ? others : [name])];
  if (from === "stdin") {
    if (prefix === "" && operands.length === 0) return [];
    return ["-c", prefix + decodeStdin(context.stdin), name, ...operands];
  }
  if (prefix === "") return operands;
  try {
    const script = await context.fs.readFile(context.fs.resolvePath(context.cwd, first));
    return ["-c", prefix + script.replace(/^#!.*/, ""), first, ...others];
  } catch {
    // just-bash reports the unreadable file.
    return operands;
  }
}

/** Decodes stdin as UTF-8. @param stdin a string with one character per byte */
function decodeStdin(stdin: unknown): string {
  return new TextDecoder().decode(Uint8Array.from(String(stdin), (character) => character.charCodeAt(0)));
}

function parseArguments(args: readonly string[]): BashInvocation {
  const set: string[] = [];
  let from: BashInvocation["from"] | undefined;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--help" || !/^-./.test(arg)) break;
    if (arg.startsWith("--")) {
      if (arg !== "--") continue;
      at++;
      break;
    }
    for (const letter of arg.slice(1)) {
      if (letter === "c") from = "argument";
      else if (letter === "s") from ??= "stdin";
      else if (letter === "o" && /^[a-z]+$/.test(args[at + 1] ?? "")) set.push("-o", args[++at] ?? "");
      else if (SETTABLE.includes(letter)) set.push(`-${letter}`);
    }
  }
  const operands = args.slice(at);
  return { set, from: from ?? (operands.length > 0 ? "file" : "stdin"), operands };
}

/**
 * Corrects the byte count of a result. just-bash counts the output of a nested script before it decodes it, and ends
 * the run if the count exceeds the text.
 */
function withByteCount(result: Result): Result {
  const counted = result.internalOutputAccounting;
  if (counted === undefined || result.stdoutKind === "bytes" || result.stdoutEncoding === "binary") return result;
  const bytes = new TextEncoder().encode(result.stdout).length;
  return { ...result, internalOutputAccounting: { ...counted, stdout: Math.min(counted.stdout, bytes) } };
}

/** `xargs` with attached option values such as `-n1` and `-I{}`; just-bash's own wants them separate. */
export const xargs: Command = {
  name: "xargs",
  async execute(args, { origCommand }) {
    return (await origCommand?.(separateValues(args))) ?? { stdout: "", stderr: "xargs: not here\n", exitCode: 127 };
  },
};

function separateValues(args: readonly string[]): string[] {
  const options: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, option, value] = /^(-[dInP])(.*)$/s.exec(arg) ?? [];
    if (option === undefined && !arg.startsWith("-")) return [...options, ...args.slice(at)];
    if (option === undefined) options.push(arg);
    else options.push(option, value || (args[++at] ?? ""));
  }
  return options;
}
