const encoder = new TextEncoder();

/**
 * Compares two secrets in a time that reveals neither length nor position of a difference: all 32 bytes of their
 * SHA-256 digests are compared.
 */
export async function secretEqual(given: string, expected: string): Promise<boolean> {
  const [left, right] = await Promise.all([digest(given), digest(expected)]);
  return crypto.subtle.timingSafeEqual(left, right);
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", encoder.encode(text));
}
