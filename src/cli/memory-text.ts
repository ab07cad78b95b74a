import type { MemoryPassage, MemoryResults, MemoryStatus } from "../client/wire.ts";
import { oneLine, printable, tableLines } from "./terminal-text.ts";

type Reason = MemoryResults["results"][number]["reason"];

/** The results of a search, best first, each passage below its line. Pure. */
export function resultsText({ results, mode, embedder, degraded, index, tookMs }: MemoryResults): string {
  const [head = "", ...lines] = tableLines([
    ["score", "why", "where"],
    ...results.map(({ score, reason, citation }) => [score.toFixed(2), why(reason), citation]),
  ]);
  const passages = results.flatMap(({ snippet }, at) => [lines[at] ?? "", indented(snippet), ""]);
  const by = embedder === undefined ? "" : ` with ${embedder.provider}/${embedder.model}`;
  const found = `${counted(results.length, "passage")} of ${counted(index.files, "file")} (${counted(index.chunks, "chunk")})`;
  return [
    ...(results.length === 0 ? [] : [head, ...passages]),
    ...(degraded === undefined ? [] : [`! ${oneLine(degraded.message)}`]),
    ...(index.pending === 0 ? [] : [`! Not indexed yet: ${counted(index.pending, "changed file")}.`]),
    `${found}, ${MODES[mode]}${by}, ${Math.round(tookMs)} ms.`,
  ].join("\n");
}

const MODES: Record<MemoryResults["mode"], string> = { hybrid: "by words and vectors", keywords: "by words only" };
const MAX_TERMS = 4;

function why({ legs, keyword, boosts, decay }: Reason): string {
  const terms = keyword?.terms ?? [];
  const some = terms.slice(0, MAX_TERMS).join(", ") + (terms.length > MAX_TERMS ? ", …" : "");
  return [
    legs,
    ...(terms.length === 0 ? [] : [some]),
    ...boosts.map((boost) => `+${boost}`),
    ...(decay === undefined || decay === 1 ? [] : [`age ×${decay.toFixed(2)}`]),
  ].join(" · ");
}

function indented(snippet: string): string {
  return printable(snippet).replaceAll(/^/gm, "  │ ");
}

/** Lines of a file, and the line to continue at. Pure. */
export function passageText({ path, text, startLine, endLine, totalLines, isCut, next }: MemoryPassage): string {
  const where = `${oneLine(path)}: lines ${startLine} to ${endLine} of ${totalLines}`;
  if (startLine === 0) return `${oneLine(path)} has ${counted(totalLines, "line")}; there are none in this range.`;
  const more = next === undefined ? "" : `; continue with --from ${next}`;
  return `${printable(text)}\n\n${where}${isCut ? `, line ${startLine} cut` : ""}${more}.`;
}

/** The status of a memory's index. Pure. */
export function statusText(status: MemoryStatus): string {
  if (!status.enabled) return "Memory search is off for this agent: memorySearch.enabled is false.";
  const { files, chunks, pending, busy, complete, comparedAt, warnings, embedder, vectors, failure } = status;
  const who = embedder.provider === null ? "words only" : `${embedder.provider}/${embedder.model}`;
  const rows = [
    ["sources", status.sources.join(", ")],
    ["indexed", `${counted(files, "file")}, ${counted(chunks, "chunk")}`],
    ["waiting", pending === 0 ? "" : counted(pending, "changed file")],
    ["state", complete ? "complete" : busy ? "updating" : "not complete"],
    ["compared", comparedAt === null ? "never" : new Date(comparedAt).toISOString()],
    ["embedder", `${who}: ${embedder.why}`],
    [
      "vectors",
      vectors.ready === null ? "" : `${vectors.ready.vectors} of ${vectors.ready.space}, in ${vectors.store}`,
    ],
    ["building", vectors.building === null ? "" : `${vectors.building.vectors} of ${vectors.building.space}`],
  ];
  return [
    ...tableLines(rows.filter(([, value]) => value !== "")),
    ...warnings.map(({ path, message }) => `! ${oneLine(path)}: ${oneLine(message)}`),
    ...(failure === null ? [] : [`✗ ${new Date(failure.at).toISOString()}: ${oneLine(failure.message)}`]),
  ].join("\n");
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
