import { IsopodError } from "../lib/errors.ts";
import { readCapped } from "../lib/read-capped.ts";

/**
 * Reads a request's body, and no more of it than `maxBytes`, whether or not it says beforehand how long it is.
 * @throws IsopodError `payload_too_large`
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get("Content-Length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const body = await readCapped(request.body, maxBytes);
  if (body === undefined) throw tooLarge(maxBytes);
  return body;
}

function tooLarge(maxBytes: number): IsopodError {
  return new IsopodError("payload_too_large", `The body is larger than ${maxBytes} bytes.`, "Store smaller files.");
}
