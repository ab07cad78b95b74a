/** The beginnings of an Ogg, a PNG and an MP3 file with a few bytes more, in base64. */
export const OGG = btoa("OggS\0a few words");
export const PNG = btoa("\x89PNG\r\n\x1a\na picture");
export const MP3 = btoa("ID3\x04a few words");

/** A WAV file of silence: 8,000 samples of a byte each second. */
export function wavFile(seconds: number): Uint8Array<ArrayBuffer> {
  const rate = 8000;
  const file = new Uint8Array(44 + seconds * rate).fill(0x80, 44);
  const view = new DataView(file.buffer);
  const write = (at: number, text: string) => file.set(new TextEncoder().encode(text), at);
  write(0, "RIFF");
  view.setUint32(4, file.length - 8, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write(36, "data");
  view.setUint32(40, seconds * rate, true);
  return file;
}

/** An Ogg file as Opus is stored in it: a page with the header, and one that ends after so many seconds. */
export function opusFile(seconds: number): Uint8Array<ArrayBuffer> {
  const preSkip = 312;
  const file = new Uint8Array(28 + 19 + 28);
  const view = new DataView(file.buffer);
  const write = (at: number, text: string) => file.set(new TextEncoder().encode(text), at);
  write(0, "OggS");
  write(28, "OpusHead");
  view.setUint16(38, preSkip, true);
  write(47, "OggS");
  view.setBigInt64(53, BigInt(Math.round(seconds * 48_000) + preSkip), true);
  return file;
}
