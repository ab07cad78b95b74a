/** A text as one line that a terminal shows as it is: what would steer the terminal becomes a space. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
}

/** A text of several lines as a terminal may show it: what would steer it becomes a space. */
export function printable(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.replaceAll(/(?!\t)[\p{Cc}\p{Cf}\u2028\u2029]/gu, " "))
    .join("\n");
}

/** Rows one below the other, their columns as wide as they have to be; the first row says how many there are. */
export function table(rows: readonly (readonly string[])[]): string {
  return tableLines(rows).join("\n");
}

/** The same, a line a row. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(oneLine));
  const widths = shown[0]?.map((_, column) => Math.max(...shown.map((row) => columnWidth(row[column] ?? "")))) ?? [];
  const cell = (text: string, column: number) =>
    text + " ".repeat(Math.max(0, (widths[column] ?? 0) - columnWidth(text)));
  return shown.map((row) => row.map(cell).join("  ").trimEnd());
}

/** Chinese characters take two columns. */
function columnWidth(text: string): number {
  return [...text].reduce(
    (width, character) => width + (/[\u1100-\u115f\u2e80-\uffe6]|\p{Emoji_Presentation}/u.test(character) ? 2 : 1),
    0,
  );
}
