/** The digest of some bytes in lower-case hex. MD5 is what R2 gives as the etag of a file that was stored whole. */
export async function digestOf(algorithm: "MD5" | "SHA-256", bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest(algorithm, bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
