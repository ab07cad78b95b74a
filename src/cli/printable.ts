/** A text of several lines as a terminal may show it: what would steer it becomes a space. */
export function printable(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.replaceAll(/(?!\t)[\p{Cc}\p{Cf}\u2028\u2029]/gu, " "))
    .join("\n");
}
