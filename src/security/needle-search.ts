/** Where one of several texts occurs in a longer one. */
export interface Found {
  /** Units of UTF-16; the end is the first one after it. */
  start: number;
  end: number;
  /** Which of the needles it is, by its place in their list. */
  needle: number;
}

/** Finds in a text, at each place where needles end, the longest one; by their ends, in order. */
export type NeedleSearch = (text: string) => Generator<Found, void>;

/**
 * Prepares a search for many texts at once, by the automaton of Aho and Corasick: it takes a step or two a character, however
 * many needles there are and however often they begin to match.
 */
export function createNeedleSearch(needles: readonly string[]): NeedleSearch {
  /** A small number for each unit that occurs in a needle; 0 for all others, which lead back to the root. */
  const classes = new Uint16Array(65_536);
  let count = 1;
  for (const needle of needles) {
    for (let at = 0; at < needle.length; at++) {
      const unit = needle.charCodeAt(at);
      if (classes[unit] === 0) classes[unit] = count++;
    }
  }
  const tree = grow(needles, classes, count);
  return (text) => walk(text, needles, { classes, count, ...tree });
}

interface Tree {
  /** The next node by node and class: `node * count + class`. */
  edges: ReadonlyMap<number, number>;
  /** The node of the longest proper ending of what leads to a node. */
  fallbacks: readonly number[];
  /** The longest needle that ends at a node, or -1. */
  ends: readonly number[];
}

function grow(needles: readonly string[], classes: Uint16Array, count: number): Tree {
  const edges = new Map<number, number>();
  const ends = [-1];
  const fallbacks = [0];
  for (const [which, needle] of needles.entries()) {
    let node = 0;
    for (let at = 0; at < needle.length; at++) {
      const key = node * count + (classes[needle.charCodeAt(at)] ?? 0);
      const next = edges.get(key) ?? ends.push(-1) - 1;
      edges.set(key, next);
      node = next;
    }
    if (node !== 0) ends[node] = which;
  }
  // A Map keeps the order in which edges were made, which is by needle; fallbacks want them by depth.
  let level = [0];
  const children = new Map<number, [kind: number, child: number][]>();
  for (const [key, child] of edges) {
    const parent = Math.floor(key / count);
    const siblings = children.get(parent) ?? [];
    children.set(parent, siblings);
    siblings.push([key % count, child]);
  }
  while (level.length > 0) {
    const below: number[] = [];
    for (const parent of level) {
      for (const [kind, child] of children.get(parent) ?? []) {
        const fallback = parent === 0 ? 0 : step(edges, fallbacks, count, fallbacks[parent] ?? 0, kind);
        fallbacks[child] = fallback;
        if (ends[child] === -1) ends[child] = ends[fallback] ?? -1;
        below.push(child);
      }
    }
    level = below;
  }
  return { edges, fallbacks, ends };
}

function* walk(
  text: string,
  needles: readonly string[],
  { edges, fallbacks, ends, classes, count }: Tree & { classes: Uint16Array; count: number },
): Generator<Found, void> {
  let node = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = classes[text.charCodeAt(at)] ?? 0;
    node = kind === 0 ? 0 : step(edges, fallbacks, count, node, kind);
    const needle = ends[node] ?? -1;
    if (needle !== -1) yield { start: at + 1 - (needles[needle]?.length ?? 0), end: at + 1, needle };
  }
}

function step(
  edges: ReadonlyMap<number, number>,
  fallbacks: readonly number[],
  count: number,
  from: number,
  kind: number,
): number {
  for (let node = from; ; node = fallbacks[node] ?? 0) {
    const next = edges.get(node * count + kind);
    if (next !== undefined) return next;
    if (node === 0) return 0;
  }
}
