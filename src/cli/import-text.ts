import type { ImportReport } from "../client/wire.ts";
import { oneLine } from "./terminal-text.ts";

interface ReportEntry {
  path: string;
  why: string;
  hint?: string;
}

/** What became of a document, for people: what needs a hand comes first. */
export function importText(report: ImportReport, withMapped: boolean): string {
  const { mapped, changed, unknown, refused, replaced } = report;
  const gone = replaced.map((path) => ({ path, why: "" }));
  const moved = mapped.map(({ from, to, note = "" }) => ({ path: from === to ? from : `${from} → ${to}`, why: note }));
  return [
    part("Refused: these did not come over", "✗", refused),
    part("Unknown: nothing here could be set with these", "!", unknown),
    part("Changed: these came over in another form, or say what is so anyway", "·", changed),
    part("Replaced: these were configured here before", "!", gone),
    withMapped ? part("Came over", "✓", moved) : "",
    `${mapped.length} came over, ${changed.length} changed, ${unknown.length} unknown, ${refused.length} refused, ${replaced.length} replaced.`,
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

function part(title: string, mark: string, entries: readonly ReportEntry[]): string {
  if (entries.length === 0) return "";
  return [title, ...entries.flatMap(({ path, why, hint }) => entryLines(mark, path, [why, hint ?? ""]))].join("\n");
}

function entryLines(mark: string, path: string, sentences: readonly string[]): string[] {
  return [
    `  ${mark} ${oneLine(path)}`,
    ...sentences.filter((text) => text !== "").map((text) => `      ${oneLine(text)}`),
  ];
}
