import type { Source } from "../client/follow.ts";
import { ApiError, requestOk, type Server, sessionPath, unreachable } from "../client/http.ts";
import { type AgentEvent, type ErrorBody, isSocketFrame, type SocketFrame } from "../client/wire.ts";

/** The interval of pings. The platform answers them without waking the session's object. */
const PING_MS = 20_000;
/** Frames and characters after which an acknowledgement is sent; the server pauses at four times as much. */
const ACK_FRAMES = 16;
const ACK_CHARS = 65_536;

/** A source of a session's events over its WebSocket, authenticated by the page's cookie. */
export function sessionSocket(server: Server, sessionKey: string): Source {
  return async function* (after, signal) {
    const address = new URL(server.url + sessionPath(sessionKey, "socket"), location.href);
    const socket = new WebSocket(address.href.replace(/^http/, "ws"));
    const frames = openFrames(socket);
    const hangUp = () => socket.close();
    signal.addEventListener("abort", hangUp);
    const pinging = keepPinging(socket);
    try {
      if (!(await isOpened(socket))) throw await refusalReason(server, signal);
      socket.send(JSON.stringify({ type: "resume", after }));
      yield* read(socket, frames);
    } finally {
      clearInterval(pinging);
      signal.removeEventListener("abort", hangUp);
      socket.close();
    }
  };
}

type Reader = ReadableStreamDefaultReader<string>;

async function* read(socket: WebSocket, frames: Reader): AsyncGenerator<AgentEvent | "open", void> {
  const unacknowledged = { frames: 0, chars: 0 };
  for (;;) {
    const { done, value: text } = await frames.read();
    if (done) return;
    const frame = parse(text);
    if (frame.type === "resumed") yield "open";
    if (frame.type === "error") throw refused(frame);
    if (frame.type !== "events") continue;
    yield* frame.events;
    unacknowledged.frames += 1;
    unacknowledged.chars += text.length;
    if (unacknowledged.frames < ACK_FRAMES && unacknowledged.chars < ACK_CHARS) continue;
    Object.assign(unacknowledged, { frames: 0, chars: 0 });
    socket.send(JSON.stringify({ type: "ack", seq: frame.events.at(-1)?.seq }));
  }
}

/** The text frames of a socket as a stream that ends when the socket closes. */
function openFrames(socket: WebSocket): Reader {
  const frames = new ReadableStream<string>({
    start(controller) {
      socket.addEventListener("message", ({ data }) => {
        if (data !== "pong") controller.enqueue(data);
      });
      socket.addEventListener("close", () => controller.close());
    },
  });
  return frames.getReader();
}

function isOpened(socket: WebSocket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.addEventListener("open", () => resolve(true));
    socket.addEventListener("close", () => resolve(false));
  });
}

/** Closes the socket when a ping is not answered before the next is due. */
function keepPinging(socket: WebSocket): ReturnType<typeof setInterval> {
  let isAnswered = true;
  socket.addEventListener("message", () => {
    isAnswered = true;
  });
  return setInterval(() => {
    if (!isAnswered) return socket.close();
    isAnswered = false;
    if (socket.readyState === WebSocket.OPEN) socket.send("ping");
  }, PING_MS);
}

/** Browsers do not say why a socket was refused: another request, refused for the same reason, gets the error. */
async function refusalReason(server: Server, signal: AbortSignal): Promise<ApiError> {
  await requestOk(server, { path: "/v1/me", signal });
  return unreachable("The socket was not opened.");
}

function parse(text: string): SocketFrame {
  const frame: unknown = JSON.parse(text);
  if (!isSocketFrame(frame)) throw new ApiError(200, "bad_answer", "The server sent a frame in an unknown shape.");
  return frame;
}

/** The error of an error frame: a missing cursor becomes 410, so that the page reads the transcript again. */
function refused({ error: { code, message, hint } }: ErrorBody): ApiError {
  return new ApiError(code === "not_found" || code === "gone" ? 410 : 400, code, message, hint);
}
