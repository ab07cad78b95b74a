import { isAlias, isScalar } from "yaml";
import { unquoted } from "./line-fields.ts";
import { type BlockPair, lineAt, type YamlFault } from "./yaml-block.ts";

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
