/** A seeded source of numbers in [0, 1) (xorshift32), so that a failure can be reproduced. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export function chance(random: () => number): boolean {
  return random() < 0.5;
}

export function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!;
}

export function subset<T>(items: readonly T[], random: () => number): T[] {
  return items.filter(() => chance(random));
}
