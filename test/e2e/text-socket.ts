import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** What RFC 6455 has a server append to the key that it proves to have read. */
const HANDSHAKE = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 1;
const CLOSE = 8;

/** The server's end of a WebSocket that carries text. */
export interface TextSocket {
  send(text: string): void;
}

/** Accepts an upgrade. `ping` is answered with `pong`; every other text that a client sends is handed over. */
export function acceptSocket(request: IncomingMessage, socket: Duplex, onText: (text: string) => void): TextSocket {
  const proof = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${HANDSHAKE}`).digest("base64");
  const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  socket.write(`${[...head, `Sec-WebSocket-Accept: ${proof}`].join("\r\n")}\r\n\r\n`);
  socket.on("error", () => socket.destroy());
  let received = Buffer.alloc(0);
  const send = (text: string) => socket.write(frameOf(TEXT, Buffer.from(text)));
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (let frame = takeFrame(received); frame; frame = takeFrame(received)) {
      received = received.subarray(frame.length);
      if (frame.opcode === CLOSE) socket.end(frameOf(CLOSE, frame.payload));
      else if (frame.payload.toString() === "ping") send("pong");
      else onText(frame.payload.toString());
    }
  });
  return { send };
}

/** A whole frame, unmasked, as servers send them. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode]), sizeOf(payload.length), payload]);
}

/** A length in the fewest bytes, which the protocol demands. */
function sizeOf(length: number): Buffer {
  if (length < 126) return Buffer.from([length]);
  const size = Buffer.alloc(length < 0x1_0000 ? 3 : 9);
  size[0] = length < 0x1_0000 ? 126 : 127;
  if (length < 0x1_0000) size.writeUInt16BE(length, 1);
  else size.writeBigUInt64BE(BigInt(length), 1);
  return size;
}

/** The first frame, if it is all there; clients mask theirs, and none of ours is 64 KiB long. */
function takeFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  const isLong = bytes.length > 1 && (bytes[1]! & 0x7f) === 126;
  const maskAt = isLong ? 4 : 2;
  if (bytes.length < maskAt + 4) return undefined;
  const size = isLong ? bytes.readUInt16BE(2) : bytes[1]! & 0x7f;
  const start = maskAt + 4;
  if (bytes.length < start + size) return undefined;
  const mask = bytes.subarray(maskAt, start);
  const payload = Buffer.from(bytes.subarray(start, start + size).map((byte, at) => byte ^ mask[at % 4]!));
  return { opcode: bytes[0]! & 0x0f, payload, length: start + size };
}
