import { isMap, isScalar, type Pair, type ParsedNode, parseDocument, visit } from "yaml";

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
