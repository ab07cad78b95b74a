import { isAgentEvent } from "../../src/client/wire.ts";
import type { ServerFrame } from "../../src/session/socket-protocol.ts";
import type { Client } from "./client.ts";
import type { Story } from "./story.ts";

/** Opens a WebSocket with the token. */
export function openSocket({ url, token }: Client, path: string): WebSocket {
  // Node's WebSocket takes headers, which a browser's does not.
  const how = { headers: { Authorization: `Bearer ${token}` } };
  return Reflect.construct(WebSocket, [url.replace(/^http/, "ws") + path, how]);
}

/** Reads a session's WebSocket after the story's last event, acknowledging what comes, until it breaks or `signal` aborts. */
export function readSocket(client: Client, path: string, story: Story, signal: AbortSignal): Promise<void> {
  const socket = openSocket(client, path);
  const hangUp = () => socket.close();
  signal.addEventListener("abort", hangUp, { once: true });
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => {
      signal.removeEventListener("abort", hangUp);
      if (error === undefined) resolve();
      else reject(error);
    };
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "resume", after: story.cursor })));
    socket.addEventListener("close", () => done());
    socket.addEventListener("error", () => done());
    socket.addEventListener("message", ({ data }) => {
      // What still comes after we hung up belongs to nobody: the next connection goes on after the last event taken.
      if (signal.aborted) return;
      try {
        const seq = takeFrame(JSON.parse(String(data)), story);
        if (seq !== undefined) socket.send(JSON.stringify({ type: "ack", seq }));
      } catch (error) {
        done(error);
      }
    });
  });
}

/** Gives what to acknowledge. */
function takeFrame(frame: ServerFrame, story: Story): number | undefined {
  if (frame.type === "error") throw new Error(`The socket said: ${JSON.stringify(frame.error)}`);
  if (frame.type !== "events") return undefined;
  for (const event of frame.events) {
    if (!isAgentEvent(event)) throw new Error(`Not an event: ${JSON.stringify(event)}`);
    story.take(event);
  }
  return frame.events.at(-1)?.seq;
}
