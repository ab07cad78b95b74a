/** The alignment of a column. */
export type Alignment = "left" | "center" | "right" | null;

/** Widest column that others are aligned to; a longer cell sticks out. */
const MAX_COLUMN_WIDTH = 60;

/** Draws a table, header first, for a fixed-width font; wide characters (Chinese, emoji) count as two columns. */
export function drawTable(rows: readonly (readonly string[])[], align: readonly Alignment[]): string {
  const widths = align.map((_, column) => {
    const widest = rows.reduce((most, row) => Math.max(most, width(row[column] ?? "")), 1);
    return Math.min(widest, MAX_COLUMN_WIDTH);
  });
  const line = (row: readonly string[]) =>
    widths
      .map((space, column) => pad(row[column] ?? "", space, align[column] ?? null))
      .join(" | ")
      .trimEnd();
  const [header = [], ...body] = rows.map((row) => row.map((cell) => cell.replaceAll("\n", " ")));
  return [line(header), widths.map((space) => "-".repeat(space)).join("-+-"), ...body.map(line)].join("\n");
}

function pad(text: string, space: number, align: Alignment): string {
  const free = Math.max(0, space - width(text));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(free - before);
}

const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60]/u;
const NARROW = /\p{Mark}|\p{Cf}/u;

function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}
