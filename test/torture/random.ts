/** Numbers in [0, 1), the same for the same parts (mulberry32 over their FNV-1a hash): a torture can be repeated. */
export function randomOf(...parts: (string | number)[]): () => number {
  let state = hashOf(parts.join("/"));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `least` to `most`, both included. */
export function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** One of some choices, each as likely as its weight. */
export function weighted<Choice extends string>(random: () => number, weights: Record<Choice, number>): Choice {
  const choices = Object.entries(weights) as [Choice, number][];
  let left = random() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  return choices[0]![0];
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
