/**
 * What the lines of a block say without regard to YAML: `key: value` at the start of a line, or a key and the indented lines
 * below it, as they are. A key without anything is not there; of two, the later one counts.
 */
export function lineFields(block: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const lines = block.split("\n");
  lines.forEach((line, at) => {
    const key = /^[\w-]+(?=:)/.exec(line)?.[0];
    if (key === undefined) return;
    const rest = line.slice(key.length + 1).trimStart();
    if (/[\u2028\u2029]/.test(rest)) return;
    const value = rest === "" && isIndented(lines[at + 1]) ? linesBelow(lines, at) : unquoted(rest.trimEnd());
    if (value !== "") fields.set(key, value);
  });
  return fields;
}

/** A text without the quotes around it, where it has the same at both ends. */
export function unquoted(text: string): string {
  const quote = text.at(0);
  return (quote === '"' || quote === "'") && text.at(-1) === quote ? text.slice(1, -1) : text;
}

/** The indented and empty lines after a line. */
function linesBelow(lines: readonly string[], at: number): string {
  let end = at + 1;
  while (end < lines.length && (lines[end] === "" || isIndented(lines[end]))) end++;
  return lines
    .slice(at + 1, end)
    .join("\n")
    .trim();
}

function isIndented(line: string | undefined): boolean {
  return line !== undefined && /^[ \t]/.test(line);
}
