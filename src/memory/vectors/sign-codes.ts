const WORD_BITS = 32;
const WORD_BYTES = 4;

/** How many bytes a code has: a bit a dimension, in whole words. */
export function codeBytes(dimensions: number): number {
  return Math.ceil(dimensions / WORD_BITS) * WORD_BYTES;
}

/** Which numbers of a vector are above zero, a bit each. */
export function signCode(numbers: ArrayLike<number>): Int32Array<ArrayBuffer> {
  const code = new Int32Array(codeBytes(numbers.length) / WORD_BYTES);
  for (let i = 0; i < numbers.length; i++) {
    if ((numbers[i] as number) > 0) code[i >> 5] = (code[i >> 5] as number) | (1 << (i & 31));
  }
  return code;
}

/** In how many bits a code differs from the one that begins at word `from` of many. */
export function bitsApart(code: Int32Array, many: Int32Array, from: number): number {
  let bits = 0;
  for (let i = 0; i < code.length; i++) bits += ones((code[i] as number) ^ (many[from + i] as number));
  return bits;
}

/** How many bits of a word are set: counted in pairs, in fours, in bytes, and summed by a multiplication. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
