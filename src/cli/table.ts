import { oneLine } from "./one-line.ts";

/** Rows one below the other, their columns as wide as they have to be; the first row says how many there are. */
export function table(rows: readonly (readonly string[])[]): string {
  return tableLines(rows).join("\n");
}

/** The same, a line a row. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(oneLine));
  const widths = shown[0]?.map((_, column) => Math.max(...shown.map((row) => widthOf(row[column] ?? "")))) ?? [];
  const cell = (text: string, column: number) => text + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(text)));
  return shown.map((row) => row.map(cell).join("  ").trimEnd());
}

/** Chinese characters take two columns. */
function widthOf(text: string): number {
  return [...text].reduce(
    (width, character) => width + (/[\u1100-\u115f\u2e80-\uffe6]|\p{Emoji_Presentation}/u.test(character) ? 2 : 1),
    0,
  );
}
