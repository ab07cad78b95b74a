import type { AnyTool } from "../agent/tool.ts";
import { textTerms } from "../memory/text/terms.ts";

/** The tools that fit a query best, the best first; none where no word of it is known. */
export type ToolFinder = (query: string, count: number) => readonly AnyTool[];

/** The terms of a tool, and how often it has each. */
interface Terms {
  counts: ReadonlyMap<string, number>;
  total: number;
}

/** How fast more of the same term counts less, and how much long descriptions lose (BM25). */
const SATURATION = 1.2;
const LENGTH_LOSS = 0.5;
/** A word of the name counts as much as so many of the description. */
const NAME_WEIGHT = 3;

/** Finds tools by the words of their names and descriptions, in any script. The words are counted at the first query. */
export function toolFinder(tools: readonly AnyTool[]): ToolFinder {
  const answers = new Map<string, readonly AnyTool[]>();
  let index: { all: { tool: AnyTool; terms: Terms }[]; having: Map<string, number>; average: number } | undefined;
  return (query, count) => {
    const key = `${count} ${query}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    index ??= indexOf(tools);
    const { all, having, average } = index;
    const wanted = [...new Set(textTerms(query))].filter((term) => having.has(term));
    const scored = all.map(({ tool, terms }) => {
      const norm = SATURATION * (1 - LENGTH_LOSS + (LENGTH_LOSS * terms.total) / average);
      const score = wanted.reduce((sum, term) => {
        const times = terms.counts.get(term) ?? 0;
        return sum + (rarity(having.get(term) ?? 0, all.length) * times * (SATURATION + 1)) / (times + norm);
      }, 0);
      return { tool, score };
    });
    const best = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
    const found = best.slice(0, count).map(({ tool }) => tool);
    answers.set(key, found);
    return found;
  };
}

function indexOf(tools: readonly AnyTool[]) {
  const all = tools.map((tool) => ({ tool, terms: termsOf(tool) }));
  const having = new Map<string, number>();
  for (const { terms } of all) for (const term of terms.counts.keys()) having.set(term, (having.get(term) ?? 0) + 1);
  return { all, having, average: all.reduce((sum, { terms }) => sum + terms.total, 0) / all.length };
}

function rarity(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

const known = new WeakMap<object, Terms>();

/** The terms of a tool; kept while its schema is, because every turn of a conversation may need them. */
function termsOf({ name, description, schema }: AnyTool): Terms {
  const before = schema && known.get(schema);
  if (before !== undefined) return before;
  const counts = new Map<string, number>();
  let total = 0;
  const count = (text: string, weight: number) => {
    for (const term of textTerms(text)) {
      counts.set(term, (counts.get(term) ?? 0) + weight);
      total += weight;
    }
  };
  count(name, NAME_WEIGHT);
  count(description, 1);
  const terms = { counts, total };
  if (schema !== undefined) known.set(schema, terms);
  return terms;
}
