// workerd has these natively; TypeScript's library of the year that we build for does not name them yet.
declare global {
  interface Uint8Array {
    toBase64(): string;
  }
  interface Uint8ArrayConstructor {
    fromBase64(text: string): Uint8Array<ArrayBuffer>;
  }
}

/** Bytes before the numbers of a quantized vector: what to multiply them with. */
const SCALE_BYTES = 4;
const MOST = 127;

/** How many bytes a quantized vector has. */
export function quantizedBytes(dimensions: number): number {
  return SCALE_BYTES + dimensions;
}

/**
 * A vector of length 1 as one byte a number: a scale (32-bit float, little-endian), then signed bytes. Its cosine with
 * another one is off by less than 0.01. The scale gives the bytes length 1 again; a vector of zeros stays one.
 */
export function quantize(vector: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(quantizedBytes(vector.length));
  const numbers = new Int8Array(bytes.buffer, SCALE_BYTES);
  let largest = 0;
  for (const number of vector) largest = Math.max(largest, Math.abs(number));
  if (largest === 0) return bytes;
  let squares = 0;
  for (const [at, number] of vector.entries()) {
    const rounded = Math.round((number / largest) * MOST);
    numbers[at] = rounded;
    squares += rounded * rounded;
  }
  new DataView(bytes.buffer).setFloat32(0, 1 / Math.sqrt(squares), true);
  return bytes;
}

/** A vector as it is stored: quantized, in base64. */
export function encodeVector(vector: Float32Array): string {
  return quantize(vector).toBase64();
}

/** What `encodeVector` made, as a vector of length 1. */
export function decodeVector(text: string): Float32Array<ArrayBuffer> {
  const bytes = Uint8Array.fromBase64(text);
  const scale = new DataView(bytes.buffer).getFloat32(0, true);
  return Float32Array.from(new Int8Array(bytes.buffer, SCALE_BYTES), (number) => number * scale);
}

/** Quantized vectors that stand one after the other. */
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

/** The cosine of the vector at a place with a query. */
export type Cosine = (vectors: QuantizedVectors, at: number) => number;

/** How vectors are compared with a query of length 1. Where most of its numbers are 0, as of a hash, only the others count. */
export function cosineWith(query: Float32Array): Cosine {
  const places = Uint16Array.from(query.keys()).filter((place) => query[place] !== 0);
  return places.length * 2 < query.length ? sparseCosine(query, places) : denseCosine(query);
}

function sparseCosine(query: Float32Array, places: Uint16Array): Cosine {
  const values = Float32Array.from(places, (place) => query[place] as number);
  return ({ numbers, scales }, at) => {
    const start = at * quantizedBytes(query.length);
    const first = start + SCALE_BYTES;
    let sum = 0;
    for (let i = 0; i < places.length; i++)
      sum += (values[i] as number) * (numbers[first + (places[i] as number)] as number);
    return sum * scales.getFloat32(start, true);
  };
}

function denseCosine(query: Float32Array): Cosine {
  const dimensions = query.length;
  const whole = dimensions - (dimensions % 4);
  return ({ numbers, scales }, at) => {
    const start = at * quantizedBytes(dimensions);
    const first = start + SCALE_BYTES;
    // Four sums at once: the processor need not wait for one addition before it begins the next.
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
