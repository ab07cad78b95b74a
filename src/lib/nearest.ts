/** Two words are near up to one edit in three letters. */
const LETTERS_PER_SLIP = 3;

/** Longest word that is compared: anyone may ask, and time grows with the word's length times that of all names. */
const MAX_WORD_CHARS = 200;

/**
 * The names most similar to `word`, best first: those that contain it or are contained in it, and those a few edits
 * away. Case does not count.
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

/** The edit distance, or undefined where it is too large to be a typo. */
function slipDistance(meant: string, name: string): number | undefined {
  const letters = distance(meant, name);
  const holds = meant.length > 2 && (name.includes(meant) || meant.includes(name));
  return holds || letters <= Math.max(meant.length, name.length) / LETTERS_PER_SLIP ? letters : undefined;
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours. */
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
