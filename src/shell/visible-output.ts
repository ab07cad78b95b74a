import type { Bash, Command, ResolvedCommandContext } from "just-bash/browser";
import { SHELL_COMMANDS } from "./commands.ts";
import { contentBytes, decodeBytes } from "./file-bytes.ts";

type Plugin = Parameters<Bash["registerTransformPlugin"]>[0];
type Script = Parameters<Plugin["transform"]>[0]["ast"];
type ScriptCommand = Script["statements"][number]["pipelines"][number]["commands"][number];
type Redirected = Extract<ScriptCommand, { redirections: unknown }>;
type Redirection = Redirected["redirections"][number];
type Result = Awaited<ReturnType<Command["execute"]>>;
type Context = ResolvedCommandContext;

/**
 * Marks of a command: here-strings on descriptors that no script uses. A command inherits those of the functions, groups
 * and loops that it stands in, as it inherits their redirections.
 */
const NO_STDOUT = 240;
const NO_STDERR = 241;
/** Its stderr goes where its stdout goes, and the other way round. */
const STDERR_TO_STDOUT = 242;
const STDOUT_TO_STDERR = 243;

/** Programs that only run others: those print for them. */
const RUNNERS: ReadonlySet<string> = new Set(["bash", "sh", "env", "time", "timeout"]);

/**
 * Marks the commands of a script whose output does not reach its end: those in `$(…)`, before a pipe, or redirected to a
 * file. just-bash returns output when a script ends, and no command knows where its own goes.
 *
 * Where a mark would be inexact, it says too little: then output is seen only at the end.
 */
export const OUTPUT_MARKS: Plugin = {
  name: "output-marks",
  transform({ ast }) {
    markAll(ast);
    return { ast };
  },
};

function markAll(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  if (isOfType(node, "CommandSubstitution") || isOfType(node, "ProcessSubstitution")) {
    for (const { pipelines } of (node as unknown as { body: Script }).body.statements)
      for (const { commands } of pipelines) for (const command of commands) mark(command, NO_STDOUT);
  }
  if (isOfType(node, "Pipeline")) {
    const { commands, pipeStderr = [] } = node as unknown as Script["statements"][number]["pipelines"][number];
    for (const [at, command] of commands.slice(0, -1).entries()) {
      mark(command, NO_STDOUT);
      if (pipeStderr[at]) mark(command, NO_STDERR);
    }
  }
  // The marks that are added here are not looked at.
  const children = Object.values(node);
  if (isRedirected(node)) for (const redirection of [...node.redirections]) markRedirected(node, redirection);
  for (const child of children) markAll(child);
}

function markRedirected(command: Redirected, { operator, fd, target }: Redirection): void {
  const from = fd ?? 1;
  switch (operator) {
    case ">":
    case ">>":
    case ">|":
      if (from === 1) mark(command, NO_STDOUT);
      if (from === 2) mark(command, NO_STDERR);
      return;
    case "&>":
    case "&>>":
      mark(command, NO_STDOUT);
      mark(command, NO_STDERR);
      return;
    case ">&": {
      const to = target.type === "Word" ? literalText(target) : undefined;
      if (from === 2) mark(command, to === "1" ? STDERR_TO_STDOUT : NO_STDERR);
      if (from !== 1) return;
      mark(command, to === "2" && isProgram(command) ? STDOUT_TO_STDERR : NO_STDOUT);
      if (fd === null && to !== undefined && !/^\d+$/.test(to)) mark(command, NO_STDERR);
    }
  }
}

function mark(command: ScriptCommand, fd: number): void {
  if (!isRedirected(command)) return;
  // The redirections of `exec` stay.
  if (command.type === "SimpleCommand" && (command.name === null || literalText(command.name) === "exec")) return;
  const target = { type: "Word", parts: [{ type: "Literal", value: "" }] } as const;
  command.redirections.push({
    type: "Redirection",
    fd,
    operator: "<<<",
    target: { ...target, parts: [...target.parts] },
  });
}

/** Whether it runs one program only, within which no output can go elsewhere. */
function isProgram(command: Redirected): boolean {
  if (command.type !== "SimpleCommand" || command.name === null) return false;
  const name = literalText(command.name);
  return name !== undefined && SHELL_COMMANDS.includes(name) && !RUNNERS.has(name);
}

function isOfType(node: object, type: string): boolean {
  return "type" in node && node.type === type;
}

function isRedirected(node: object): node is Redirected {
  return "redirections" in node && Array.isArray(node.redirections);
}

function literalText({ parts }: { parts: readonly { type: string }[] }): string | undefined {
  const [part, ...more] = parts;
  return part !== undefined && "value" in part && part.type === "Literal" && more.length === 0
    ? String(part.value)
    : undefined;
}

/** Whether what a command prints reaches the end of its script. */
interface Visibility {
  stdout: boolean;
  stderr: boolean;
}

const VISIBLE: Visibility = { stdout: true, stderr: true };
const HIDDEN: Visibility = { stdout: false, stderr: false };

/**
 * The programs of a script, which tell what they print as soon as each of them ends, as far as it reaches the end of the
 * script. Nothing else about them changes.
 * @param names programs of just-bash
 * @param own programs in place of those, and besides
 */
export function tellingPrograms(
  names: readonly string[],
  own: readonly Command[],
  tell: (text: string) => void,
): Command[] {
  /** Of the programs that run now, innermost last: one runs at a time, or within another. */
  const running: Visibility[] = [];
  const replaced = new Set(own.map(({ name }) => name));
  const others = names.filter((name) => !replaced.has(name)).map(unchanged);
  return [...own, ...others].map((program) => ({
    ...program,
    async execute(args, context) {
      const isRunner = RUNNERS.has(program.name);
      const visibility = visibilityIn(running.at(-1) ?? VISIBLE, context);
      running.push(isRunner ? visibility : HIDDEN);
      try {
        const result = await program.execute(args, context);
        if (!isRunner) for (const text of shownText(result, visibility)) tell(text);
        return result;
      } finally {
        running.pop();
      }
    },
  }));
}

function unchanged(name: string): Command {
  return {
    name,
    async execute(args, { origCommand }) {
      return (await origCommand?.(args)) ?? { stdout: "", stderr: `${name}: not here\n`, exitCode: 127 };
    },
  };
}

function visibilityIn(outer: Visibility, { fileDescriptors: marks }: Context): Visibility {
  const stdout = outer.stdout && !marks?.has(NO_STDOUT);
  const stderr = outer.stderr && !marks?.has(NO_STDERR);
  const turned = marks?.has(STDOUT_TO_STDERR) ? { stdout: stderr, stderr } : { stdout, stderr };
  return marks?.has(STDERR_TO_STDOUT) ? { ...turned, stderr: stderr && stdout } : turned;
}

function shownText({ stdout, stderr, stdoutKind, stdoutEncoding }: Result, visibility: Visibility): string[] {
  const isBytes = stdoutKind === "bytes" || stdoutEncoding === "binary";
  const printed = isBytes ? decodeBytes(contentBytes(stdout, "latin1"), undefined) : stdout;
  return [visibility.stdout ? printed : "", visibility.stderr ? stderr : ""].filter((text) => text !== "");
}
