/** Root files that every later prompt shows, in lower case. MEMORY.md is not one of them: its lines are labelled. */
const SHOWN = /^(?:agents|soul|tools|identity|user|heartbeat|bootstrap|boot)\.md$/;

/** Whether a file says what later turns obey: a bootstrap file but MEMORY.md, or a file of a skill. */
export function isPersistentPath(path: string): boolean {
  const plain = path
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^(?:\.?\/)+/, "");
  return SHOWN.test(plain) || plain.startsWith("skills/") || plain.startsWith(".agents/skills/");
}
