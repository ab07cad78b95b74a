/** How far apart two words may be to count as near: one letter in three. */
const LETTERS_PER_SLIP = 3;

/** Longest word that is looked at: anybody may ask, and a look takes as long as the word and all names are. */
const MAX_WORD_CHARS = 200;

/**
 * The names that somebody may have meant who wrote `word`, the likeliest first: those that hold it or are held by it, and
 * those that are a few letters away. Case does not count.
 */
export function nearestNames(word: string, names: readonly string[], most = 3): string[] {
  if (word.length > MAX_WORD_CHARS) return [];
  const meant = word.toLowerCase();
  const scored = names.flatMap((name) => {
    const far = slipDistance(meant, name.toLowerCase());
    return far === undefined ? [] : [{ name, far }];
  });
  return scored
    .toSorted((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ name }) => name);
}

/** How many letters lie between them, or undefined where that is too many to be a slip. */
function slipDistance(meant: string, name: string): number | undefined {
  const letters = distance(meant, name);
  const holds = meant.length > 2 && (name.includes(meant) || meant.includes(name));
  return holds || letters <= Math.max(meant.length, name.length) / LETTERS_PER_SLIP ? letters : undefined;
}

/** Levenshtein's distance, in which letters that have changed places are one slip: put in, taken out, replaced, swapped. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const crossed = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = crossed ? (before[j - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
