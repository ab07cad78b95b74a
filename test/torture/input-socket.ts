import { setTimeout as sleep } from "node:timers/promises";
import type { ServerFrame } from "../../src/session/socket-protocol.ts";
import { type Client, Refused } from "./client.ts";
import type { PlannedMessage } from "./plan.ts";
import { openSocket } from "./socket.ts";

const RETRY_MS = 60;
const ATTEMPT_MS = 15_000;

/**
 * Says something over a session's WebSocket until it is accepted, over any number of deaths of the server.
 * @throws Refused for an answer that is final and no success
 */
export async function askOverSocket(client: Client, message: PlannedMessage, until: AbortSignal): Promise<unknown> {
  for (;;) {
    until.throwIfAborted();
    const frame = await attempt(client, message);
    if (frame?.type === "accepted") return frame;
    if (frame?.type === "error" && !["unavailable", "internal", "rate_limited"].includes(frame.error.code)) {
      throw new Refused(400, "socket", JSON.stringify(frame.error));
    }
    await sleep(RETRY_MS);
  }
}

/** The answer to one frame; undefined where none came. */
function attempt(client: Client, { session, text, key }: PlannedMessage): Promise<ServerFrame | undefined> {
  const socket = openSocket(client, `/v1/sessions/${encodeURIComponent(session.key)}/socket`);
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(undefined), ATTEMPT_MS);
    function done(frame: ServerFrame | undefined): void {
      clearTimeout(timer);
      resolve(frame);
      socket.close();
    }
    socket.addEventListener("open", () =>
      socket.send(JSON.stringify({ type: "input", id: key, message: text, idempotencyKey: key })),
    );
    socket.addEventListener("close", () => done(undefined));
    socket.addEventListener("error", () => done(undefined));
    socket.addEventListener("message", ({ data }) => {
      const frame: ServerFrame = JSON.parse(String(data));
      if ("id" in frame && frame.id === key) done(frame);
    });
  });
}
