// workerd has these natively; the TypeScript library of our target does not declare them yet.
declare global {
  interface Uint8Array {
    toBase64(): string;
  }
  interface Uint8ArrayConstructor {
    fromBase64(text: string): Uint8Array<ArrayBuffer>;
  }
}

/** Bytes of the scale before the numbers of a quantized vector. */
const SCALE_BYTES = 4;
const MAX_NUMBER = 127;

/** The size of a quantized vector in bytes. */
export function quantizedBytes(dimensions: number): number {
  return SCALE_BYTES + dimensions;
}

/**
 * Quantizes a vector of length 1: a scale (32-bit float, little-endian), then a signed byte for each number. Cosines
 * are off by less than 0.01. The scale restores length 1; a zero vector stays zero.
 */
export function quantize(vector: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(quantizedBytes(vector.length));
  const numbers = new Int8Array(bytes.buffer, SCALE_BYTES);
  let largest = 0;
  for (const number of vector) largest = Math.max(largest, Math.abs(number));
  if (largest === 0) return bytes;
  let squares = 0;
  for (const [at, number] of vector.entries()) {
    const rounded = Math.round((number / largest) * MAX_NUMBER);
    numbers[at] = rounded;
    squares += rounded * rounded;
  }
  new DataView(bytes.buffer).setFloat32(0, 1 / Math.sqrt(squares), true);
  return bytes;
}

/** Quantizes a vector and encodes it in base64. */
export function encodeVector(vector: Float32Array): string {
  return quantize(vector).toBase64();
}

/** Decodes the result of `encodeVector` to a vector of length 1. */
export function decodeVector(text: string): Float32Array<ArrayBuffer> {
  const bytes = Uint8Array.fromBase64(text);
  const scale = new DataView(bytes.buffer).getFloat32(0, true);
  return Float32Array.from(new Int8Array(bytes.buffer, SCALE_BYTES), (number) => number * scale);
}

/** Consecutive quantized vectors. */
export class QuantizedVectors {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly numbers: Int8Array;
  readonly scales: DataView;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
    this.numbers = new Int8Array(bytes.buffer);
    this.scales = new DataView(bytes.buffer);
  }
}

/** The cosine of a query with the vector at an index. */
export type Cosine = (vectors: QuantizedVectors, at: number) => number;

/**
 * Compares vectors with a query of length 1. If most of its numbers are 0, as in a hash, only the others are
 * multiplied.
 */
export function cosineWith(query: Float32Array): Cosine {
  const indexes = Uint16Array.from(query.keys()).filter((index) => query[index] !== 0);
  return indexes.length * 2 < query.length ? sparseCosine(query, indexes) : denseCosine(query);
}

function sparseCosine(query: Float32Array, indexes: Uint16Array): Cosine {
  const values = Float32Array.from(indexes, (index) => query[index] as number);
  return ({ numbers, scales }, at) => {
    const start = at * quantizedBytes(query.length);
    const first = start + SCALE_BYTES;
    let sum = 0;
    for (let i = 0; i < indexes.length; i++)
      sum += (values[i] as number) * (numbers[first + (indexes[i] as number)] as number);
    return sum * scales.getFloat32(start, true);
  };
}

function denseCosine(query: Float32Array): Cosine {
  const dimensions = query.length;
  const whole = dimensions - (dimensions % 4);
  return ({ numbers, scales }, at) => {
    const start = at * quantizedBytes(dimensions);
    const first = start + SCALE_BYTES;
    // Four independent sums, so that the processor can add in parallel.
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < whole; i += 4) {
      a += (query[i] as number) * (numbers[first + i] as number);
      b += (query[i + 1] as number) * (numbers[first + i + 1] as number);
      c += (query[i + 2] as number) * (numbers[first + i + 2] as number);
      d += (query[i + 3] as number) * (numbers[first + i + 3] as number);
    }
    for (let i = whole; i < dimensions; i++) a += (query[i] as number) * (numbers[first + i] as number);
    return (a + b + c + d) * scales.getFloat32(start, true);
  };
}
