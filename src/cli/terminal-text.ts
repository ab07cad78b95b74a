/** A text as one line, with control characters replaced by spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
}

/** A text of several lines, with control characters other than tabs replaced by spaces. */
export function printable(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.replaceAll(/(?!\t)[\p{Cc}\p{Cf}\u2028\u2029]/gu, " "))
    .join("\n");
}

/** A table whose columns are as wide as their widest cell; the first row says how many columns there are. */
export function table(rows: readonly (readonly string[])[]): string {
  return tableLines(rows).join("\n");
}

/** The same table, one string per row. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(oneLine));
  const widths = shown[0]?.map((_, column) => Math.max(...shown.map((row) => columnWidth(row[column] ?? "")))) ?? [];
  const cell = (text: string, column: number) =>
    text + " ".repeat(Math.max(0, (widths[column] ?? 0) - columnWidth(text)));
  return shown.map((row) => row.map(cell).join("  ").trimEnd());
}

/** The width in columns: wide characters and emoji take two. */
function columnWidth(text: string): number {
  return [...text].reduce(
    (width, character) => width + (/[\u1100-\u115f\u2e80-\uffe6]|\p{Emoji_Presentation}/u.test(character) ? 2 : 1),
    0,
  );
}
