/** A stream of numbers that is the same on every run (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Up to `most` pieces in any order. */
export function scribble(next: () => number, pieces: readonly string[], most: number): string {
  const length = Math.floor(next() * most);
  return Array.from({ length }, () => pieces[Math.floor(next() * pieces.length)]).join("");
}

/** Signs of Markdown, and what stands beside them. */
export const PIECES: readonly string[] = [
  ...["**", "*", "__", "_", "~~", "~", "`", "``", "```ts\n", "```", "~~~\n", "---\n", "===\n"],
  ...["\n", "\n", "\n\n", "  ", "    ", "\t", "- ", "  - ", "* ", "+ ", "1. ", "1) ", "> ", ">", "# ", "### ", "#"],
  ...["| a | b |\n|---|---|\n| 1 | 2 |\n", "|", "||", "[ ] ", "[x] ", "[", "]", "(", ")", "!", "^", '"', "\\", "$x^2$"],
  ...["[x](https://a.example)", "[**y** z](https://a.example/a_b(c))", "![p](https://b.example/p.png)"],
  ...["http://a.example/x_y*z ", "<https://a.example/?a=1&b=2>", "<div>", "</b>", "<b>", "<!here>", "@everyone"],
  ...["&amp;", "&lt;", "&#42;", "&", "<", ">", "\\*", "\\_", "2*3*4", "snake_case", "word ", "longer-word ", "a", "1"],
  ...["你好", "世界。", "「", "」", "（", "）", "，", "🦊", "👩‍👩‍👧", "👍🏽", "e\u0301", "🇩🇪", "𠀀"],
];
