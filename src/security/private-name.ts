/**
 * Endings of names that never belong to the public internet: RFC 6761, 6762, 8375 and 7686, ICANN's `internal`, and those
 * that it does not give to anybody because private networks use them.
 */
const PRIVATE_ENDINGS = [
  "localhost",
  "local",
  "internal",
  "home.arpa",
  "onion",
  "test",
  "invalid",
  "localdomain",
  "corp",
  "home",
  "lan",
  "intranet",
  "private",
];

/** Whether a host's name is one of a private network: a single word, or by its ending. The dot at its end is no matter. */
export function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "").toLowerCase();
  if (name.split(".").includes("") || !name.includes(".")) return true;
  return PRIVATE_ENDINGS.some((ending) => name.endsWith(`.${ending}`));
}
