import { isAlias, isNode, isScalar } from "yaml";
import { head } from "../lib/text.ts";
import { showControls } from "../workspace/decode-text.ts";
import { lineFields, unquoted } from "./line-fields.ts";
import { type BlockPair, parseYamlBlock, type YamlFault } from "./yaml-block.ts";

/**
 * The front matter of a Markdown file, as OpenClaw 2026.9.6 reads it: each field is a text, and what is a list or a mapping in
 * YAML is its JSON. A file without any has no fields.
 */
export interface FrontMatter {
  kind: "read";
  fields: ReadonlyMap<string, string>;
  /** What follows it, with line feeds only. */
  body: string;
  /** Whether a text in it had to be put in quotes first. */
  isRepaired: boolean;
  /** Whether there is any. */
  isThere: boolean;
}

/** Front matter that says nothing to anybody. */
export interface BrokenFrontMatter {
  kind: "broken";
  /** The code of the YAML library's error, or one of ours. */
  code: string;
  message: string;
}

/** Longest front matter, in characters. Real ones have a few hundred. */
export const MAX_FRONT_MATTER_CHARS = 65_536;

const MAX_MESSAGE_CHARS = 200;
/** Fields of free text, which authors leave without quotes where YAML needs them; each may be put in quotes once. */
const FREE_TEXT = ["description", "read_when", "summary"];
const BLOCK_HEADER = /^[|>](?:[1-9][+-]?|[+-][1-9]?)?$/;

/** Reads the front matter of a text. Never throws. */
export function readFrontMatter(text: string): FrontMatter | BrokenFrontMatter {
  const lines = text
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .split("\n");
  const none = { kind: "read", fields: new Map(), isRepaired: false } as const;
  const [first = ""] = lines;
  if (!isFence(first) || lines.length === 1) return { ...none, body: lines.join("\n"), isThere: false };
  const end = lines.findIndex((line, at) => at > 0 && isFence(line));
  if (end === -1) return broken("UNTERMINATED", "no line `---` ends it");
  const block = lines.slice(1, end).join("\n");
  const body = lines.slice(end + 1).join("\n");
  if (block === "") return { ...none, body, isThere: true };
  if (block.length > MAX_FRONT_MATTER_CHARS)
    return broken("TOO_LARGE", `it has more than ${MAX_FRONT_MATTER_CHARS} characters`);
  const read = readBlock(block);
  return read.kind === "broken" ? read : { ...read, body, isThere: true };
}

function isFence(line: string): boolean {
  return line.startsWith("---") && line.slice(3).trim() === "";
}

type Read = Pick<FrontMatter, "kind" | "fields" | "isRepaired"> | BrokenFrontMatter;

/** Reads a block, and again with a text in quotes where that text was what YAML could not read. */
function readBlock(block: string): Read {
  const plain = lineFields(block);
  let tried = block;
  for (let repairs = 0; ; repairs++) {
    const parsed = parseYamlBlock(tried);
    if (parsed.kind === "values") {
      const inline = inlineKeys(tried, parsed.pairs, plain);
      return { kind: "read", fields: fieldsOf(parsed.values, plain, inline), isRepaired: repairs > 0 };
    }
    const mended = repairs < FREE_TEXT.length ? mend(tried, parsed.pairs, parsed) : tried;
    if (mended === tried) return broken(parsed.code, parsed.message);
    tried = mended;
  }
}

/**
 * The fields of a block: what YAML says. A list or mapping that begins on the line of its key counts as its text there, where that
 * text has a colon; and what YAML has no value for counts as its line says it.
 */
function fieldsOf(
  values: object,
  plain: ReadonlyMap<string, string>,
  inline: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [rawKey, value] of Object.entries(values)) {
    const key = rawKey.trim();
    const text = key === "" ? undefined : textOf(value);
    if (text === undefined) continue;
    const asWritten = typeof value === "object" && inline.has(key) ? plain.get(key) : undefined;
    fields.set(key, asWritten ?? text);
  }
  for (const [key, value] of plain) if (!fields.has(key)) fields.set(key, value);
  return fields;
}

function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string") return value.trim();
  if (typeof value !== "object") return String(value);
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    // A mapping that holds itself, by an alias, has no JSON.
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

/** The keys after whose colon there is another one on their line. */
function inlineKeys(
  block: string,
  pairs: readonly BlockPair[],
  plain: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const inline = new Set<string>();
  for (const { key } of pairs) {
    const start = isNode(key) ? key.range[0] : undefined;
    const name = start === undefined ? undefined : nameAt(block, start);
    if (start === undefined || name === undefined || !plain.has(name)) continue;
    const rest = lineAt(block, start + name.length + 1).trimStart();
    if (rest.includes(":") && !/[\u2028\u2029]/.test(rest)) inline.add(name);
  }
  return inline;
}

function nameAt(block: string, start: number): string | undefined {
  const name = /[\w-]+(?=:)/y;
  name.lastIndex = start;
  return name.exec(block)?.[0];
}

function lineAt(block: string, start: number): string {
  const end = block.indexOf("\n", start);
  return block.slice(start, end === -1 ? block.length : end);
}

/** The block with the free text in quotes at which the first error is; the same block where none is to blame. */
function mend(block: string, pairs: readonly BlockPair[], { code, at = aliasedDescription(pairs) }: YamlFault): string {
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

function broken(code: string, message: string): BrokenFrontMatter {
  return { kind: "broken", code, message: head(showControls(message), MAX_MESSAGE_CHARS) };
}
