/** Opus always counts 48,000 samples a second. */
const SAMPLES_PER_SECOND = 48_000;
/** Where a page of Ogg says how many samples are played when it ends. */
const GRANULE_AT = 6;
/** Where the header of Opus says how many samples are left out at the start, after its eight letters. */
const PRE_SKIP_AT = 10;
const HEADER_BYTES = 64;

/** The length of an Ogg file with Opus in it; undefined for any other file. */
export function oggSeconds(bytes: Uint8Array): number | undefined {
  const headerAt = lastIndexOf(bytes.subarray(0, HEADER_BYTES), "OpusHead");
  const pageAt = lastIndexOf(bytes, "OggS");
  if (headerAt === -1 || pageAt + GRANULE_AT + 8 > bytes.length || headerAt + PRE_SKIP_AT + 2 > bytes.length) {
    return undefined;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = Number(view.getBigInt64(pageAt + GRANULE_AT, true)) - view.getUint16(headerAt + PRE_SKIP_AT, true);
  return samples > 0 ? samples / SAMPLES_PER_SECOND : undefined;
}

function lastIndexOf(bytes: Uint8Array, letters: string): number {
  const codes = [...letters].map((letter) => letter.charCodeAt(0));
  for (let at = bytes.length - codes.length; at >= 0; at--) {
    if (codes.every((code, n) => bytes[at + n] === code)) return at;
  }
  return -1;
}
