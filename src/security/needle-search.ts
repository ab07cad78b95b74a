/** An occurrence of one of several texts in a longer one. */
export interface NeedleMatch {
  /** UTF-16 offsets, `end` excluded. */
  start: number;
  end: number;
  /** The needle's index in the list. */
  needle: number;
}

/** Finds the longest needle at each offset where needles end, in order of their ends. */
export type NeedleSearch = (text: string) => Generator<NeedleMatch, void>;

/** Largest transition table, in 4-byte entries: it covers the nodes near the root, where nearly all steps are taken. */
const MAX_TABLE = 65_536;

/** The trie of an Aho-Corasick automaton. Nodes are numbered by depth, the root is 0. */
interface Tree {
  /** A small number per code unit that occurs in a needle; 0 for all others, which lead to the root. */
  kinds: Uint16Array;
  /** The number of kinds, 0 included. */
  count: number;
  /** Child nodes by `node * count + kind`. */
  edges: Map<number, number>;
  /** The node of the longest proper suffix; it has a smaller number. */
  fallbacks: number[];
  /** The longest needle that ends at a node, or -1. */
  ends: number[];
}

interface Automaton extends Tree {
  /** Transitions of the first nodes, fallbacks resolved, by `node * count + kind`. */
  table: Int32Array<ArrayBuffer>;
}

/**
 * Creates a search for many needles at once: about one step per character, whatever the number of needles and of
 * partial matches.
 */
export function createNeedleSearch(needles: readonly string[]): NeedleSearch {
  const automaton = buildAutomaton(needles);
  return (text) => walk(text, needles, automaton);
}

function buildAutomaton(needles: readonly string[]): Automaton {
  const kinds = new Uint16Array(65_536);
  let count = 1;
  for (const needle of needles) {
    for (let at = 0; at < needle.length; at++) {
      const unit = needle.charCodeAt(at);
      if (kinds[unit] === 0) kinds[unit] = count++;
    }
  }
  const tree = { kinds, count, edges: new Map<number, number>(), fallbacks: [0], ends: [-1] };
  grow(tree, needles);
  return { ...tree, table: stepTable(tree) };
}

/** Builds the trie level by level, so that a node's fallback exists before it. */
function grow({ kinds, count, edges, fallbacks, ends }: Tree, needles: readonly string[]): void {
  const tips = needles.map(() => 0);
  const longest = Math.max(0, ...needles.map(({ length }) => length));
  for (let depth = 0; depth < longest; depth++) {
    for (const [which, needle] of needles.entries()) {
      if (depth >= needle.length) continue;
      const parent = tips[which] ?? 0;
      const kind = kinds[needle.charCodeAt(depth)] ?? 0;
      let node = edges.get(parent * count + kind);
      if (node === undefined) {
        const fallback = parent === 0 ? 0 : follow(edges, fallbacks, count, fallbacks[parent] ?? 0, kind);
        node = fallbacks.push(fallback) - 1;
        ends.push(ends[fallback] ?? -1);
        edges.set(parent * count + kind, node);
      }
      if (depth === needle.length - 1) ends[node] = which;
      tips[which] = node;
    }
  }
}

function follow(edges: Map<number, number>, fallbacks: number[], count: number, from: number, kind: number): number {
  for (let node = from; ; node = fallbacks[node] ?? 0) {
    const next = edges.get(node * count + kind);
    if (next !== undefined || node === 0) return next ?? 0;
  }
}

function stepTable({ count, edges, fallbacks }: Tree): Int32Array<ArrayBuffer> {
  const rows = Math.max(1, Math.min(fallbacks.length, Math.floor(MAX_TABLE / count)));
  const table = new Int32Array(rows * count);
  for (let node = 0; node < rows; node++) {
    for (let kind = 1; kind < count; kind++) {
      const place = node * count + kind;
      table[place] = edges.get(place) ?? (node === 0 ? 0 : (table[(fallbacks[node] ?? 0) * count + kind] ?? 0));
    }
  }
  return table;
}

function* walk(text: string, needles: readonly string[], automaton: Automaton): Generator<NeedleMatch, void> {
  const { kinds, count, edges, fallbacks, ends, table } = automaton;
  let node = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at)] ?? 0;
    let place = node * count + kind;
    while (place >= table.length && !edges.has(place)) {
      node = fallbacks[node] ?? 0;
      place = node * count + kind;
    }
    node = table[place] ?? edges.get(place) ?? 0;
    const needle = ends[node] ?? -1;
    if (needle !== -1) yield { start: at + 1 - (needles[needle]?.length ?? 0), end: at + 1, needle };
  }
}
