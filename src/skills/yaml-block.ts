import { isAlias, isMap, isScalar, type Pair, type ParsedNode, parseDocument, visit } from "yaml";

/** A top-level key of a block and its value. */
export type BlockPair = Pair<ParsedNode, ParsedNode | null>;

/** Why a block cannot be parsed. */
export interface YamlFault {
  /** The YAML library's code of its first error, or one of ours. */
  code: string;
  message: string;
  /** The offset in the block, if known. */
  at?: number | undefined;
}

/** The result of parsing a block: its values, or a fault; in both cases the top-level keys that were parsed. */
export type YamlBlock =
  | { kind: "values"; values: object; pairs: readonly BlockPair[] }
  | ({ kind: "fault"; pairs: readonly BlockPair[] } & YamlFault);

/** `uniqueKeys` is off because the library's check is quadratic; `repeatedKey` checks in one pass. */
const OPTIONS = { schema: "core", prettyErrors: false, logLevel: "error", uniqueKeys: false } as const;

/**
 * Parses a block as YAML 1.2. Never throws; exceptions of the library (an unknown alias, too deep nesting) become
 * faults.
 */
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

/** The first repeated key of any mapping. */
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

/** The rest of a line from an offset on. */
export function lineAt(block: string, start: number): string {
  const end = block.indexOf("\n", start);
  return block.slice(start, end === -1 ? block.length : end);
}

/** Free-text fields that authors often forget to quote. */
const FREE_TEXT = ["description", "read_when", "summary"];
const BLOCK_HEADER = /^[|>](?:[1-9][+-]?|[+-][1-9]?)?$/;

/** Most repairs of one block. */
export const MAX_MENDS = FREE_TEXT.length;

/**
 * Quotes the value at a block's first error, by the rules of OpenClaw 2026.9.6: a top-level `description`, or another
 * free-text field with an unquoted ": ". Returns the block unchanged if neither applies.
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

/** The offset of the key `description` if its value starts with `*`, which YAML reads as an alias. */
function aliasedDescription(pairs: readonly BlockPair[]): number | undefined {
  const pair = pairs.find(({ key, value }) => isScalar(key) && key.value === "description" && isAlias(value));
  return pair?.key.range[0];
}

/**
 * The fields of a block read line by line, without YAML: `key: value` at the start of a line, or a key and the indented
 * lines below it. Keys without a value are omitted; the last of duplicates counts.
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

/** Removes matching quotes around a text. */
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
