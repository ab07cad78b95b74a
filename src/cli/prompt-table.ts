import type { Prompt, PromptSection } from "../client/wire.ts";

const BOUNDARY = "cache boundary";

/** A prompt as a table for a terminal: its sections on both sides of the boundary, then its files and tools. Pure. */
export function promptTable({ sessionKey, mode, model, hash, sections, files, tools, totals }: Prompt): string {
  const above = sections.filter(({ layer }) => layer === "above");
  const below = sections.filter(({ layer }) => layer === "below");
  const rows: Row[] = [
    ["section", "tokens", "chars", "bytes", "words from"],
    ...above.map(sectionRow),
    [BOUNDARY, totals.above.tokens, totals.above.chars, totals.above.bytes, "above it"],
    ...below.map(sectionRow),
    ["together", totals.prompt.tokens, totals.prompt.chars, totals.prompt.bytes, ""],
  ];
  const ofFiles: Row[] = files.map((file) => [file.path, file.injectedChars, file.rawChars, fileState(file)]);
  const ofTools: Row[] = tools.map(({ name, tokens, schemaBytes }) => [name, tokens, schemaBytes]);
  return [
    `${sessionKey} · ${mode} · ${model}`,
    `sha256 ${hash}`,
    table(rows),
    ...(files.length === 0 ? [] : [table([["file", "in the prompt", "in the workspace", ""], ...ofFiles])]),
    ...(tools.length === 0
      ? []
      : [
          table([
            ["tool", "tokens", "schema bytes"],
            ...ofTools,
            ["together", totals.tools.tokens, totals.tools.schemaBytes],
          ]),
        ]),
  ].join("\n\n");
}

type Row = readonly (string | number)[];

function sectionRow({ name, tokens, chars, bytes, source }: PromptSection): Row {
  return [name, tokens, chars, bytes, source.kind === "section" ? source.name : `${source.kind}: ${source.name}`];
}

function fileState({ missing, truncated }: Prompt["files"][number]): string {
  if (missing) return "missing";
  return truncated ? "cut" : "";
}

/** Rows under their heading: words aligned left, numbers right. */
function table(rows: readonly Row[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? "").length))) ?? [];
  const isNumber = (column: number) => typeof rows[1]?.[column] === "number";
  const cell = (value: string | number, column: number) => {
    const width = widths[column] ?? 0;
    return isNumber(column) ? String(value).padStart(width) : String(value).padEnd(width);
  };
  return rows.map((row) => row.map(cell).join("  ").trimEnd()).join("\n");
}
