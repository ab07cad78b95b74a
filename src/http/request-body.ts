import { bodyLimit } from "hono/body-limit";
import { IsopodError } from "../lib/errors.ts";
import { readCapped } from "../lib/read-capped.ts";

const SMALL_BYTES = 4096;

/** For routes with short bodies: refuses a larger body with 413 before it is parsed. */
export const smallBody = bodyLimit({ maxSize: SMALL_BYTES });

/**
 * Reads a request's body up to `maxBytes`, with or without a `Content-Length`.
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
