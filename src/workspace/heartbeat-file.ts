/** What stands in a HEARTBEAT.md without asking for anything: headings, empty items, rules, and the borders of code. */
const NOTHING_TO_DO = [
  /^#+(?:\s|$)/,
  /^(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]?\])?$/,
  /^(?:-{3,}|\*{3,}|_{3,})$/,
  /^(?:```|~~~)\S*$/,
];

/** Whether a HEARTBEAT.md holds nothing to look after: no more than headings, comments and empty items of lists. */
export function isEffectivelyEmpty(text: string): boolean {
  const lines = text.replace(/<!--[\s\S]*?(?:-->|$)/g, "").split(/\r\n?|\n/);
  return lines.every((line) => NOTHING_TO_DO.some((pattern) => pattern.test(line.trim())));
}
