/** Waits for half to one and a half times so many milliseconds: who failed together does not come back together. */
export function sleepAbout(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms * (0.5 + Math.random())));
}
