const BYTES = 8;

/** An id for the markers around external content: eight random bytes as 16 hex digits. */
export function newFenceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
