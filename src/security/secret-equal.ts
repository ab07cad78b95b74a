const encoder = new TextEncoder();
/** Most digests of expected secrets in memory. */
const MAX_KNOWN = 16;
/** Digests of the Worker's own secrets, which every request is compared with. */
const known = new Map<string, ArrayBuffer>();

/**
 * Compares two secrets in a time that reveals neither length nor position of a difference: all 32 bytes of their
 * SHA-256 digests are compared.
 */
export async function secretEqual(given: string, expected: string): Promise<boolean> {
  const [left, right] = await Promise.all([digest(given), knownDigest(expected)]);
  return crypto.subtle.timingSafeEqual(left, right);
}

async function knownDigest(expected: string): Promise<ArrayBuffer> {
  const made = known.get(expected) ?? (await digest(expected));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(expected, made);
  return made;
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", encoder.encode(text));
}

/** Compares two digests or signatures, of which only the length shows. */
export function digestEqual(given: Uint8Array | undefined, expected: Uint8Array): boolean {
  return given?.length === expected.length && crypto.subtle.timingSafeEqual(given, expected);
}
