/** The digits of Crockford's base32, in lower case. */
export const BASE32_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const RANDOM_BYTES = 10;

/** The kind of thing an id names; shows in logs. */
export type IdPrefix =
  | "run"
  | "msg"
  | "call"
  | "ses"
  | "dlv"
  | "ver"
  | "apr"
  | "spl"
  | "sub"
  | "aud"
  | "gen"
  | "grt"
  | "tok"
  | "job"
  | "wak";

/** Encodes bytes as lower-case Crockford base32; the order of the texts is the order of the bytes. */
export function base32(bytes: Uint8Array): string {
  let out = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += BASE32_ALPHABET[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return bits > 0 ? out + BASE32_ALPHABET[(buffer << (5 - bits)) & 31] : out;
}

/**
 * Makes `<prefix>_<time><random>`: 10 characters of `now` (milliseconds) that sort by time, then 80 unguessable random
 * bits. Ids of the same millisecond are unordered.
 */
export function newId(prefix: IdPrefix, now: number): string {
  let time = "";
  for (let rest = now, i = 0; i < TIME_CHARS; i++) {
    time = BASE32_ALPHABET[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return `${prefix}_${time}${base32(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))}`;
}
