import { crc32 } from "node:zlib";
import { Gunzip, Inflate } from "fflate";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import { joinBytes } from "../../lib/join-bytes.ts";
import { refused } from "./refusal.ts";

/** Bytes per step. Deflate expands one byte to 1,032 at most, so a zip bomb is detected after a few megabytes. */
const FED_BYTES = 4096;

/** `CRC32` and `ISIZE` at the end of gzip, RFC 1952. */
const GZIP_TRAILER_BYTES = 8;
const SMALLEST_GZIP_BYTES = 18;

/**
 * Decompresses raw deflate.
 * @param name the name in error messages
 * @throws IsopodError if it is damaged, or as soon as it exceeds `maxBytes`
 */
export function inflateRaw(packed: Uint8Array, maxBytes: number, name: string): Uint8Array {
  return unfold(packed, maxBytes, name, (take) => {
    const stream = new Inflate(take);
    return (part, isLast) => stream.push(part, isLast);
  });
}

/** Decompresses gzip of exactly one member, with nothing after it. @throws IsopodError as `inflateRaw` does */
export function gunzip(packed: Uint8Array, maxBytes: number): Uint8Array {
  const name = "the archive";
  if (packed.length < SMALLEST_GZIP_BYTES) throw refused("gzip_damaged", CUT_OFF, SEND_AGAIN);
  const unfolded = unfold(packed, maxBytes, name, (take) => {
    const stream = new Gunzip(take);
    stream.onmember = () => {
      throw refused("gzip_members", "The archive is several gzip files behind each other.", "Pack it anew as one.");
    };
    return (part, isLast) => stream.push(part, isLast);
  });
  const trailer = new DataView(packed.buffer, packed.byteOffset + packed.length - GZIP_TRAILER_BYTES);
  if (trailer.getUint32(0, true) !== crc32(unfolded) || trailer.getUint32(4, true) !== unfolded.length) {
    throw refused("gzip_damaged", CUT_OFF, SEND_AGAIN);
  }
  return unfolded;
}

const CUT_OFF = "The archive is damaged, cut off, or something follows its end.";
const SEND_AGAIN = "Send it again, or pack it anew.";

function unfold(
  packed: Uint8Array,
  maxBytes: number,
  name: string,
  open: (take: (part: Uint8Array) => void) => (part: Uint8Array, isLast: boolean) => void,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  let tooMuch = false;
  const push = open((part) => {
    length += part.length;
    tooMuch ||= length > maxBytes;
    if (!tooMuch) parts.push(part);
  });
  for (let from = 0; from < packed.length && !tooMuch; from += FED_BYTES) {
    const to = from + FED_BYTES;
    fed(name, () => push(packed.subarray(from, to), to >= packed.length));
  }
  if (tooMuch) {
    const message = `Unpacking was stopped: ${name} becomes more than ${maxBytes} bytes.`;
    throw refused("too_large", message, "Leave out what the skill does not need.", "payload_too_large");
  }
  return joinBytes(parts);
}

/** Rethrows errors of fflate as refusals. */
function fed(name: string, push: () => void): void {
  try {
    push();
  } catch (thrown) {
    if (thrown instanceof IsopodError) throw thrown;
    throw refused("damaged", `The compressed data of ${name} is damaged: ${messageOf(thrown)}.`, SEND_AGAIN);
  }
}
