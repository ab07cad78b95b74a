import { isAlias, isMap, isScalar, type Pair, type ParsedNode, parseDocument, visit } from "yaml";

/** A key at the top of a block, and what it says. */
export type BlockPair = Pair<ParsedNode, ParsedNode | null>;

/** Why a block is no mapping. */
export interface YamlFault {
  /** The library's code of its first error, or one of ours. */
  code: string;
  message: string;
  /** Where in the block, as far as the library says. */
  at?: number | undefined;
}

/** What YAML makes of a block: a mapping's values, or why it is none. Either way the keys at the top, as far as it saw any. */
export type YamlBlock =
  | { kind: "values"; values: object; pairs: readonly BlockPair[] }
  | ({ kind: "fault"; pairs: readonly BlockPair[] } & YamlFault);

/** The library looks for a repeated key among all that came before, key by key; we look once. */
const OPTIONS = { schema: "core", prettyErrors: false, logLevel: "error", uniqueKeys: false } as const;

/** Parses a block as YAML 1.2. Never throws; what the library throws (an alias to nothing, a nesting too deep) is a fault. */
export function parseYamlBlock(block: string): YamlBlock {
  let pairs: readonly BlockPair[] = [];
  try {
    const document = parseDocument(block, OPTIONS);
    const { contents, errors } = document;
    if (isMap(contents)) pairs = contents.items as BlockPair[];
    const [error] = errors;
    const fault: YamlFault | undefined =
      error === undefined ? repeatedKey(document) : { code: error.code, message: error.message, at: error.pos[0] };
    if (fault !== undefined) return { kind: "fault", pairs, ...fault };
    if (!isMap(contents)) return { kind: "fault", pairs, code: "NO_MAPPING", message: "it is no list of `key: value`" };
    return { kind: "values", values: document.toJS() as object, pairs };
  } catch (thrown) {
    return {
      kind: "fault",
      pairs,
      code: "EXCEPTION",
      message: thrown instanceof Error ? thrown.message : String(thrown),
    };
  }
}

/** The first key of a mapping, at any depth, that is there twice. */
function repeatedKey(document: ReturnType<typeof parseDocument>): YamlFault | undefined {
  let fault: YamlFault | undefined;
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key) || Number.isNaN(key.value)) continue;
        if (seen.has(key.value)) {
          fault = { code: "DUPLICATE_KEY", message: `the key ${String(key.value)} is there twice`, at: key.range?.[0] };
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return fault;
}

/** What is left of a line of a block from a place in it on. */
export function lineAt(block: string, start: number): string {
  const end = block.indexOf("\n", start);
  return block.slice(start, end === -1 ? block.length : end);
}

/** Fields of free text, which authors leave without quotes where YAML needs them. */
const FREE_TEXT = ["description", "read_when", "summary"];
const BLOCK_HEADER = /^[|>](?:[1-9][+-]?|[+-][1-9]?)?$/;

/** How often a block may be mended. */
export const MAX_MENDS = FREE_TEXT.length;

/**
 * The block with that text in quotes at which its first error is, by the rules of OpenClaw 2026.9.6: a `description` at the top,
 * or one of the others where a ": " is to blame. The same block where none is.
 */
export function mendBlock(
  block: string,
  pairs: readonly BlockPair[],
  { code, at = aliasedDescription(pairs) }: YamlFault,
): string {
  if (at === undefined || block[at] === "\n") return block;
  const start = block.lastIndexOf("\n", at) + 1;
  const line = lineAt(block, start);
  const key = /^(?:([\w-]+)|"([\w-]+)"|'([\w-]+)'):/.exec(line);
  const name = key?.[1] ?? key?.[2] ?? key?.[3];
  if (key === null || name === undefined || !FREE_TEXT.includes(name)) return block;
  const rest = line.slice(key[0].length).trimStart();
  const text = rest.trim();
  if (text === "" || /[\u2028\u2029]/.test(rest) || BLOCK_HEADER.test(text)) return block;
  const isTop = pairs.some((pair) => isScalar(pair.key) && pair.key.value === name && pair.key.range?.[0] === start);
  const isMendable = name === "description" || (code === "BLOCK_AS_IMPLICIT_KEY" && text.includes(": "));
  if (!isTop || !isMendable) return block;
  return `${block.slice(0, start)}${name}: ${JSON.stringify(unquoted(text))}${block.slice(start + line.length)}`;
}

/** Where the key `description` begins, if what it says begins with `*`, which is an alias in YAML. */
function aliasedDescription(pairs: readonly BlockPair[]): number | undefined {
  const pair = pairs.find(({ key, value }) => isScalar(key) && key.value === "description" && isAlias(value));
  return pair?.key.range[0];
}

/**
 * What the lines of a block say without regard to YAML: `key: value` at the start of a line, or a key and the indented lines
 * below it, as they are. A key without anything is not there; of two, the later one counts.
 */
export function lineFields(block: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const lines = block.split("\n");
  lines.forEach((line, at) => {
    const key = /^[\w-]+(?=:)/.exec(line)?.[0];
    if (key === undefined) return;
    const rest = line.slice(key.length + 1).trimStart();
    if (/[\u2028\u2029]/.test(rest)) return;
    const value = rest === "" && isIndented(lines[at + 1]) ? linesBelow(lines, at) : unquoted(rest.trimEnd());
    if (value !== "") fields.set(key, value);
  });
  return fields;
}

/** A text without the quotes around it, where it has the same at both ends. */
export function unquoted(text: string): string {
  const quote = text.at(0);
  return (quote === '"' || quote === "'") && text.at(-1) === quote ? text.slice(1, -1) : text;
}

/** The indented and empty lines after a line. */
function linesBelow(lines: readonly string[], at: number): string {
  let end = at + 1;
  while (end < lines.length && (lines[end] === "" || isIndented(lines[end]))) end++;
  return lines
    .slice(at + 1, end)
    .join("\n")
    .trim();
}

function isIndented(line: string | undefined): boolean {
  return line !== undefined && /^[ \t]/.test(line);
}
