import type { SearchCost, SearchFindings } from "./search.ts";

/** The cost of searches as a table for people. */
export function searchReport({ chunks, files, none, local }: SearchFindings): string {
  const both = [none, local];
  const cells = (title: string, cellOf: (cost: SearchCost) => string) => row(title, ...both.map(cellOf));
  return [
    `A memory of ${chunks} chunks in ${files} files, in ms: median (95th percentile)`,
    row("provider", "none", "local"),
    cells("searched by", ({ mode }) => (mode === "hybrid" ? "words and vectors" : "words alone")),
    cells("search", ({ searchMs: { p50, p95 } }) => `${p50} (${p95})`),
    cells("FTS5 alone", ({ bareMs: { p50, p95 } }) => `${p50} (${p95})`),
    cells("over FTS5 alone", ({ ratio }) => `${ratio}x`),
    cells("first search", ({ firstMs }) => String(firstMs)),
    cells("rows read", ({ rowsRead: { p50, p95 } }) => `${p50} (${p95})`),
    cells("chunks that match", ({ matches: { p50, p95, max } }) => `${p50} (${p95}), at most ${max}`),
    cells("requests to D1", ({ roundTrips }) => String(roundTrips)),
    cells("found at 6", ({ found }) => `${found} %`),
    cells("indexing", ({ indexMs }) => `${(indexMs / 1000).toFixed(1)} s`),
    cells("rows written", ({ rowsWrittenPerChunk }) => `${rowsWrittenPerChunk} a chunk`),
    cells("memory of workerd", ({ memory }) => (memory === undefined ? "unknown" : `${memory.workerd} MiB`)),
  ].join("\n");
}

function row(title: string, ...cells: string[]): string {
  return [title.padEnd(20), ...cells.map((cell) => cell.padEnd(32))].join("").trimEnd();
}
