const BYTE_BITS = 8;
const BYTE_VALUES = 256;

/** How many bytes a code has: a bit a dimension. */
export function codeBytes(dimensions: number): number {
  return Math.ceil(dimensions / BYTE_BITS);
}

/** Which numbers of a vector are above zero, a bit each. */
export function signCode(numbers: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const code = new Uint8Array(codeBytes(numbers.length));
  for (let i = 0; i < numbers.length; i++) {
    if ((numbers[i] as number) > 0) code[i >> 3] = (code[i >> 3] as number) | (1 << (i & 7));
  }
  return code;
}

/**
 * How alike codes are to one query: the sum of its numbers, each counted for or against by a code's bit. This tells more than
 * the number of bits that are the same (of the 24 nearest of 60,000, 99 % are among the best 400 against 95 %), and takes no
 * longer, because what each byte adds is worked out before.
 */
export class CodeScorer {
  readonly #bytes: number;
  /** For each byte of a code what each of its values adds. */
  readonly #sums: Float32Array;

  constructor(query: Float32Array) {
    this.#bytes = codeBytes(query.length);
    this.#sums = new Float32Array(this.#bytes * BYTE_VALUES);
    for (let byte = 0; byte < this.#bytes; byte++) {
      const numbers = query.subarray(byte * BYTE_BITS, (byte + 1) * BYTE_BITS);
      for (let value = 0; value < BYTE_VALUES; value++) {
        const sum = numbers.reduce((total, number, bit) => total + (value & (1 << bit) ? number : -number), 0);
        this.#sums[byte * BYTE_VALUES + value] = sum;
      }
    }
  }

  /** The code that stands at a place among many. */
  score(codes: Uint8Array, at: number): number {
    const from = at * this.#bytes;
    const sums = this.#sums;
    let sum = 0;
    for (let i = 0; i < this.#bytes; i++) sum += sums[(i << 8) | (codes[from + i] as number)] as number;
    return sum;
  }
}
