import { isNode } from "yaml";
import { head } from "../lib/text.ts";
import { showControls } from "../workspace/decode-text.ts";
import { type BlockPair, lineAt, lineFields, MAX_MENDS, mendBlock, parseYamlBlock } from "./yaml-block.ts";

/**
 * The front matter of a Markdown file, parsed as OpenClaw 2026.9.6 does: every field is a string; a YAML list or
 * mapping becomes its JSON. A file without front matter has no fields.
 */
export interface FrontMatter {
  kind: "read";
  fields: ReadonlyMap<string, string>;
  /** The text after it, with line feeds only. */
  body: string;
  /** Whether a value had to be quoted before YAML could parse it. */
  isRepaired: boolean;
  /** Whether the file has front matter. */
  isThere: boolean;
}

/** Front matter that cannot be parsed. */
export interface BrokenFrontMatter {
  kind: "broken";
  /** The code of the YAML library's error, or one of ours. */
  code: string;
  message: string;
}

/**
 * Longest front matter, in characters; real ones have a few hundred, 2,500 at most. Adversarial YAML takes about 5 ms
 * per thousand characters to parse, and an agent may have hundreds of skills.
 */
export const MAX_FRONT_MATTER_CHARS = 16_384;

const MAX_MESSAGE_CHARS = 200;

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
  if (end === -1) return brokenFrontMatter("UNTERMINATED", "no line `---` ends it");
  const block = lines.slice(1, end).join("\n");
  const body = lines.slice(end + 1).join("\n");
  if (block === "") return { ...none, body, isThere: true };
  if (block.length > MAX_FRONT_MATTER_CHARS)
    return brokenFrontMatter("TOO_LARGE", `it has more than ${MAX_FRONT_MATTER_CHARS} characters`);
  const read = readBlock(block);
  return read.kind === "broken" ? read : { ...read, body, isThere: true };
}

function isFence(line: string): boolean {
  return line.startsWith("---") && line.slice(3).trim() === "";
}

type BlockReading = Pick<FrontMatter, "kind" | "fields" | "isRepaired"> | BrokenFrontMatter;

/** Parses a block; on an error it retries with the offending value in quotes. */
function readBlock(block: string): BlockReading {
  const plain = lineFields(block);
  let tried = block;
  for (let repairs = 0; ; repairs++) {
    const parsed = parseYamlBlock(tried);
    if (parsed.kind === "values") {
      const inline = inlineKeys(tried, parsed.pairs, plain);
      return { kind: "read", fields: mergeFields(parsed.values, plain, inline), isRepaired: repairs > 0 };
    }
    const mended = repairs < MAX_MENDS ? mendBlock(tried, parsed.pairs, parsed) : tried;
    if (mended === tried) return brokenFrontMatter(parsed.code, parsed.message);
    tried = mended;
  }
}

/**
 * The fields of a block as YAML parses them, with two exceptions as in OpenClaw: a list or mapping on its key's own
 * line counts as plain text if that text contains a colon, and a key without a YAML value takes the text of its line.
 */
function mergeFields(
  values: object,
  plain: ReadonlyMap<string, string>,
  inline: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [rawKey, value] of Object.entries(values)) {
    const key = rawKey.trim();
    const text = key === "" ? undefined : fieldText(value);
    if (text === undefined) continue;
    const asWritten = typeof value === "object" && inline.has(key) ? plain.get(key) : undefined;
    fields.set(key, asWritten ?? text);
  }
  for (const [key, value] of plain) if (!fields.has(key)) fields.set(key, value);
  return fields;
}

function fieldText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string") return value.trim();
  if (typeof value !== "object") return String(value);
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    // A mapping that contains itself through an alias has no JSON.
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

/** The keys with a second colon on their line. */
function inlineKeys(
  block: string,
  pairs: readonly BlockPair[],
  plain: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const inline = new Set<string>();
  for (const { key } of pairs) {
    const start = isNode(key) ? key.range[0] : undefined;
    const name = start === undefined ? undefined : keyNameAt(block, start);
    if (start === undefined || name === undefined || !plain.has(name)) continue;
    const rest = lineAt(block, start + name.length + 1).trimStart();
    if (rest.includes(":") && !/[\u2028\u2029]/.test(rest)) inline.add(name);
  }
  return inline;
}

function keyNameAt(block: string, start: number): string | undefined {
  const name = /[\w-]+(?=:)/y;
  name.lastIndex = start;
  return name.exec(block)?.[0];
}

function brokenFrontMatter(code: string, message: string): BrokenFrontMatter {
  return { kind: "broken", code, message: head(showControls(message), MAX_MESSAGE_CHARS) };
}
