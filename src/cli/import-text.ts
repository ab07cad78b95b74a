import type { ImportReport } from "../client/wire.ts";
import { oneLine } from "./terminal-text.ts";

interface ReportEntry {
  path: string;
  why: string;
  hint?: string;
}

/** The report of an import for a terminal: entries that need work come first. */
export function importText(report: ImportReport, withMapped: boolean): string {
  const { mapped, changed, unknown, refused, replaced } = report;
  const gone = replaced.map((path) => ({ path, why: "" }));
  const moved = mapped.map(({ from, to, note = "" }) => ({ path: from === to ? from : `${from} → ${to}`, why: note }));
  return [
    part("Refused: these values were not imported", "✗", refused),
    part("Unknown: Isopod has no such settings", "!", unknown),
    part("Changed: imported in another form, or the default here", "·", changed),
    part("Replaced: these settings were removed", "!", gone),
    withMapped ? part("Imported", "✓", moved) : "",
    `${mapped.length} imported, ${changed.length} changed, ${unknown.length} unknown, ${refused.length} refused, ${replaced.length} replaced.`,
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
