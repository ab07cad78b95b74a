import { IsopodError } from "../lib/errors.ts";

/**
 * Reads a request's body, and no more of it than `maxBytes`, whether or not it says beforehand how long it is.
 * @throws IsopodError `payload_too_large`
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get("Content-Length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return joined(chunks, length);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function tooLarge(maxBytes: number): IsopodError {
  return new IsopodError("payload_too_large", `The body is larger than ${maxBytes} bytes.`, "Store smaller files.");
}
