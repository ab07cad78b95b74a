/** A text in which case, width, spaces and marks at its ends make no difference. */
export function comparable(text: string): string {
  const plain = text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
  return plain.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, "");
}
