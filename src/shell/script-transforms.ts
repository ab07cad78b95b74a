import { Bash, type CustomCommand, defineCommand } from "just-bash/browser";
import { contentBytes } from "./file-bytes.ts";

/** What a loop does at the beginning of each round: it opens a file, and there the run takes turns with others. */
const TURN = ": </dev/null";

const LOOPS: ReadonlySet<unknown> = new Set(["For", "CStyleFor", "While", "Until"]);

let turn: Statement | undefined;

/**
 * Has every loop of a script take turns. A loop of builtins waits for nothing else, so that neither its time would be over nor
 * anybody else be heard. Where it changes a script, it is `$?` at the beginning of a round of `for` and `until`.
 */
export const takesTurns: Plugin = {
  name: "takes-turns",
  transform({ ast }) {
    turn ??= new Bash({ commands: [], defenseInDepth: false }).transform(TURN).ast.statements[0];
    if (turn !== undefined) addTurns(ast, turn);
    return { ast };
  },
};

function addTurns(node: unknown, first: Statement): void {
  if (typeof node !== "object" || node === null || node === first) return;
  for (const inner of Object.values(node)) addTurns(inner, first);
  if (isLoop(node)) node.body.unshift(first);
}

function isLoop(node: object): node is { body: Statement[] } {
  return "type" in node && LOOPS.has(node.type) && "body" in node && Array.isArray(node.body);
}

type Plugin = Parameters<Bash["registerTransformPlugin"]>[0];
type Statement = Parameters<Plugin["transform"]>[0]["ast"]["statements"][number];
type Pipeline = Statement["pipelines"][number];
type Command = Pipeline["commands"][number];
type Word = Extract<Command, { type: "SimpleCommand" }>["args"][number];

interface Decoding {
  name: string;
  args: Word[];
}

/** Hidden where programs are listed. */
const DECODE = ".decode-variables";
const DECODE_ARRAY = ".decode-array";
const LAST_STATUS: Word = {
  type: "Word",
  parts: [{ type: "ParameterExpansion", parameter: "?", operation: null }],
};
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/**
 * The `read`, `mapfile` and `readarray` of just-bash put bytes into variables, a character each, so that 中 is three of them, and goes
 * to files so. After each in a script, this has the variables made text by `DECODERS`. Scripts of `eval` and `source` it does not see.
 */
export const TEXT_VARIABLES: Plugin = {
  name: "text-variables",
  transform({ ast }) {
    decodeStatements(ast);
    return { ast };
  },
};

/** What `TEXT_VARIABLES` calls: with the status that is to come of it, then names, or one array's name and values. */
export const DECODERS: CustomCommand[] = [
  defineCommand(DECODE, async ([status, ...words], { env, assignShellVariable }) => {
    const names = words.filter((word) => IDENTIFIER.test(word));
    for (const name of names.length === 0 ? ["REPLY"] : names) {
      const [value = "", text = ""] = [env.get(name), decodeValue(env.get(name) ?? "")];
      if (text !== value) await assignShellVariable?.(name, text);
    }
    return withStatus(status);
  }),
  defineCommand(DECODE_ARRAY, async ([status, name = "", ...values], { assignShellVariable }) => {
    for (const [at, value] of values.entries()) {
      const text = decodeValue(value);
      if (text !== value) await assignShellVariable?.(name, text, String(at));
    }
    return withStatus(status);
  }),
];

function withStatus(status = "0") {
  return { stdout: "", stderr: "", exitCode: Number(status) };
}

/** Text stays as it is, and so do bytes that are none. */
function decodeValue(value: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(contentBytes(value, "latin1"));
  } catch {
    return value;
  }
}

/** Changes statements where they stand. */
function decodeStatements(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  for (const child of Object.values(node)) decodeStatements(child);
  if (isStatement(node)) addDecoding(node);
}

function isStatement(node: object): node is Statement {
  return "type" in node && node.type === "Statement";
}

/**
 * `read x` becomes `read x && decode 0 x || decode $? x`, and `! read x` ends with `! decode 0 x`: what comes of it is the same, also
 * with `set -e`. After `&&` it is left out where it failed: there `set -e` would take what failed before for a failure of its own.
 */
function addDecoding(statement: Statement): void {
  const { pipelines, operators } = statement;
  statement.pipelines = [];
  statement.operators = [];
  for (const [at, pipeline] of pipelines.entries()) {
    const before = operators[at - 1];
    if (before !== undefined) statement.operators.push(before);
    statement.pipelines.push(pipeline);
    const decoding = pipelineDecoding(pipeline);
    if (decoding === undefined) continue;
    statement.operators.push("&&");
    statement.pipelines.push(decodeCommand(literal("0"), decoding));
    if (before === "&&") continue;
    statement.operators.push("||");
    statement.pipelines.push(
      pipeline.negated
        ? { ...decodeCommand(literal("0"), decoding), negated: true }
        : decodeCommand(LAST_STATUS, decoding),
    );
  }
}

function pipelineDecoding({ commands }: Pipeline): Decoding | undefined {
  const [command, ...more] = commands;
  if (command?.type !== "SimpleCommand" || command.name === null || more.length > 0) return undefined;
  const { name, args } = command;
  const words = args.map(literalText);
  switch (literalText(name)) {
    case "read": {
      const flag = words.findIndex((word) => /^-[A-Za-z]*a$/.test(word ?? ""));
      return flag < 0 ? { name: DECODE, args } : arrayDecoding(words[flag + 1]);
    }
    case "mapfile":
    case "readarray":
      return arrayDecoding(words.findLast((word) => IDENTIFIER.test(word ?? "")) ?? "MAPFILE");
    default:
      return undefined;
  }
}

function arrayDecoding(name: string | undefined): Decoding | undefined {
  if (name === undefined || !IDENTIFIER.test(name)) return undefined;
  const values: Word = {
    type: "Word",
    parts: [
      { type: "DoubleQuoted", parts: [{ type: "ParameterExpansion", parameter: `${name}[@]`, operation: null }] },
    ],
  };
  return { name: DECODE_ARRAY, args: [literal(name), values] };
}

function literalText({ parts }: Word): string | undefined {
  const [part, ...more] = parts;
  return part?.type === "Literal" && more.length === 0 ? part.value : undefined;
}

function literal(value: string): Word {
  return { type: "Word", parts: [{ type: "Literal", value }] };
}

function decodeCommand(status: Word, { name, args }: Decoding): Pipeline {
  const command: Command = {
    type: "SimpleCommand",
    name: literal(`/usr/bin/${name}`),
    args: [status, ...args],
    assignments: [],
    redirections: [],
  };
  return { type: "Pipeline", commands: [command], negated: false };
}
