import { Bash, type CustomCommand, defineCommand } from "just-bash/browser";
import { contentBytes } from "./file-bytes.ts";

/** The statement that each loop iteration starts with: opening a file lets the run yield. */
const TURN = ": </dev/null";

const LOOPS: ReadonlySet<unknown> = new Set(["For", "CStyleFor", "While", "Until"]);

let turn: Statement | undefined;

/**
 * Makes every loop of a script yield. A loop of builtins never awaits, so that neither its timeout nor another request
 * would be served. The only visible effect is `$?` at the start of an iteration of `for` and `until`.
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
type ScriptCommand = Pipeline["commands"][number];
type Word = Extract<ScriptCommand, { type: "SimpleCommand" }>["args"][number];

interface Decoding {
  name: string;
  args: Word[];
}

/** Names of hidden commands. */
const DECODE = ".decode-variables";
const DECODE_ARRAY = ".decode-array";
const LAST_STATUS: Word = {
  type: "Word",
  parts: [{ type: "ParameterExpansion", parameter: "?", operation: null }],
};
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/**
 * just-bash's `read`, `mapfile` and `readarray` put bytes into variables, one character per byte: 中 becomes three
 * characters and is written so. This adds a call of `DECODERS` after each of them. Scripts of `eval` and `source` are
 * not transformed.
 */
export const TEXT_VARIABLES: Plugin = {
  name: "text-variables",
  transform({ ast }) {
    decodeStatements(ast);
    return { ast };
  },
};

/**
 * The commands that `TEXT_VARIABLES` adds. Their arguments are the exit status to return, then variable names, or one
 * array's name and values.
 */
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

/** Decodes a byte string as UTF-8. Text, and bytes that are not UTF-8, are returned unchanged. */
function decodeValue(value: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(contentBytes(value, "latin1"));
  } catch {
    return value;
  }
}

/** Modifies statements in place. */
function decodeStatements(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  for (const child of Object.values(node)) decodeStatements(child);
  if (isStatement(node)) addDecoding(node);
}

function isStatement(node: object): node is Statement {
  return "type" in node && node.type === "Statement";
}

/**
 * Turns `read x` into `read x && decode 0 x || decode $? x`, and `! read x` so that it ends with `! decode 0 x`: the
 * exit status is the same, also with `set -e`. After `&&` the `||` part is left out, because `set -e` would count the
 * earlier failure as one of `decode`.
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
  const command: ScriptCommand = {
    type: "SimpleCommand",
    name: literal(`/usr/bin/${name}`),
    args: [status, ...args],
    assignments: [],
    redirections: [],
  };
  return { type: "Pipeline", commands: [command], negated: false };
}
