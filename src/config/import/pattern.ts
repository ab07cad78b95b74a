import type { Path } from "./leaves.ts";

/** A pattern of paths: names with dots in between, where `*` is any one name or position. */
export type Pattern = string;

/** What `*` stood for, where a path is one of the pattern's or leads on from it; undefined where it is neither. */
export function matchStart(path: Path, pattern: Pattern): Path | undefined {
  const parts = partsOf(pattern);
  if (parts.length > path.length) return undefined;
  const stars: (string | number)[] = [];
  for (const [at, part] of parts.entries()) {
    const key = path[at];
    if (part === "*" && key !== undefined) stars.push(key);
    else if (part !== String(key)) return undefined;
  }
  return stars;
}

/** Whether a path is one of the pattern's. */
export function matches(path: Path, pattern: Pattern): boolean {
  return lengthOf(pattern) === path.length && matchStart(path, pattern) !== undefined;
}

/** The path that a pattern is with these in the place of its `*`. */
export function fill(pattern: Pattern, stars: Path): Path {
  const left = [...stars];
  return partsOf(pattern).map((part) => (part === "*" ? (left.shift() ?? part) : part));
}

/** How many steps the pattern has. */
export function lengthOf(pattern: Pattern): number {
  return partsOf(pattern).length;
}

function partsOf(pattern: Pattern): string[] {
  return pattern.split(".");
}
