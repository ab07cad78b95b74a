const encoder = new TextEncoder();

/**
 * Whether two secrets are the same, in a time that tells nothing about where they differ or how long they are:
 * their SHA-256 digests are compared, all 32 bytes always.
 */
export async function secretEqual(given: string, expected: string): Promise<boolean> {
  const [left, right] = await Promise.all([digest(given), digest(expected)]);
  return crypto.subtle.timingSafeEqual(left, right);
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", encoder.encode(text));
}
