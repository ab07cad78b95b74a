/** Whether bytes begin as a zip or gzip does: neither names nor types that come with them are believed. */
export function isArchive(bytes: Uint8Array): boolean {
  const [first, second, third, fourth] = bytes;
  const isZip = first === 0x50 && second === 0x4b && ((third === 3 && fourth === 4) || (third === 5 && fourth === 6));
  return isZip || (first === 0x1f && second === 0x8b);
}
