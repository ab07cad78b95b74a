import type { Recall, Report } from "./memory-score.ts";

/** The findings for people. */
export function reportText(report: Report, withoutEvidence: number): string {
  const { byCategory, bySet, words, searchMs, tookMs, indexMs, maxCharsAt6, degraded } = report;
  const lists = Object.entries(words);
  return [
    row("", "questions", "recall@6", "recall@10", "characters at 6"),
    ...rows(byCategory),
    "",
    ...(Object.keys(bySet).length > 1 ? [...rows(bySet), ""] : []),
    ...rows({ all: report }),
    "",
    `At most         ${maxCharsAt6} characters at 6`,
    `A search        ${searchMs.p50} ms (${searchMs.p95} ms), of which the server says ${tookMs.p50} ms (${tookMs.p95} ms): median (95th percentile)`,
    `Indexing        ${(indexMs / 1000).toFixed(1)} s`,
    ...lists.map(([list, { words: count, found, missed }]) => {
      const not = missed.length === 0 ? "" : `; not: ${missed.slice(0, 20).join(" ")}`;
      return `Words           ${found} of ${count} of ${list}${not}`;
    }),
    ...(withoutEvidence > 0 ? [`Left out        ${withoutEvidence} questions that name no evidence`] : []),
    ...(degraded > 0
      ? [`Not whole       ${degraded} questions were answered by less than all, such as words alone`]
      : []),
  ].join("\n");
}

function rows(parts: Record<string, Recall>): string[] {
  return Object.entries(parts).map(([name, { questions, recallAt6, recallAt10, charsAt6 }]) =>
    row(name, String(questions), recallAt6.toFixed(1), recallAt10.toFixed(1), String(charsAt6)),
  );
}

function row(title: string, ...cells: string[]): string {
  return [title.padEnd(16), ...cells.map((cell) => cell.padStart(17))].join("").trimEnd();
}
