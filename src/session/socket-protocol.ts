import { z } from "zod";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { runRequest } from "../session-store/run-request.ts";
import { WINDOW } from "./socket-window.ts";

/** Most characters of a client's frame; the same limit as for request bodies. */
export const MAX_CLIENT_FRAME_CHARS = 1024 * 1024;

/** Close codes. A client that resumes after its last event loses nothing. */
export const CLOSED = {
  /** Internal error: the client reconnects and repeats its request. */
  failed: 1011,
  /** The client did not acknowledge events in time: it reconnects and resumes. */
  slow: 4008,
  /** The session was deleted. */
  deleted: 4010,
} as const;

const id = z.string().min(1).max(200).meta({ description: "Comes back with whatever is answered to the frame." });
const seq = z.int().min(0).meta({ description: "Number of an event." });

const inputFrame = runRequest.extend({ type: z.literal("input"), id }).meta({
  description: "Says something. Answered with `accepted` once it is stored; may be repeated with its idempotency key.",
});

const abortFrame = z
  .strictObject({ type: z.literal("abort"), id: id.optional(), runId: z.string().max(100) })
  .meta({ description: "Asks a run to stop. Answered with `stopping` once the wish is stored; may be repeated." });

const resumeFrame = z.strictObject({ type: z.literal("resume"), id: id.optional(), after: seq }).meta({
  description:
    "Asks for the events after a number: those that there are, then those to come. None is sent before. Answered with " +
    "`resumed`. Sent once more it goes on from elsewhere; then what comes after its `resumed` counts.",
});

const ackFrame = z.strictObject({ type: z.literal("ack"), seq }).meta({
  description:
    `Says that everything up to an event was received. At most ${WINDOW.frames} frames or ${WINDOW.chars} characters ` +
    "are sent unacknowledged; acknowledge at a quarter of it. Not answered.",
});

/** A client's frame: one JSON object per text frame. `ping` is answered with `pong` without loading the object. */
export const clientFrame = z.discriminatedUnion("type", [inputFrame, abortFrame, resumeFrame, ackFrame]);

export type ClientFrame = z.infer<typeof clientFrame>;
export type InputFrame = z.infer<typeof inputFrame>;

const error = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  /** `gone`: the oldest number to resume after. */
  oldestCursor: seq.optional(),
});

/** A server's frame. Events are sent in the order of their numbers, each once. */
export const serverFrame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("accepted"),
    id,
    runId: z.string(),
    sessionKey: z.string(),
    sessionId: z.string(),
    acceptedAt: z.int(),
  }),
  z.object({ type: z.literal("stopping"), id: id.optional(), runId: z.string(), status: z.string() }),
  z.object({ type: z.literal("resumed"), id: id.optional(), after: seq }),
  z.object({
    type: z.literal("events"),
    events: z.array(z.looseObject({ type: z.string(), phase: z.string(), runId: z.string(), seq, ts: z.int() })),
  }),
  z.object({ type: z.literal("error"), id: id.optional(), error }),
]);

export type ServerFrame = z.infer<typeof serverFrame>;

/**
 * Parses a frame as JSON.
 * @throws IsopodError if it is binary, too long or not JSON
 */
export function parseFrame(data: string | ArrayBuffer): unknown {
  if (typeof data !== "string") {
    throw new IsopodError("unsupported_media_type", "A frame is text.", "Send JSON in text frames.");
  }
  if (data.length > MAX_CLIENT_FRAME_CHARS) {
    throw new IsopodError("payload_too_large", `A frame has at most ${MAX_CLIENT_FRAME_CHARS} characters.`);
  }
  try {
    return JSON.parse(data);
  } catch (thrown) {
    throw new IsopodError("invalid_request", `A frame is JSON: ${messageOf(thrown)}`);
  }
}

/** @throws IsopodError `invalid_request`, naming what is wrong */
export function clientFrameOf(value: unknown): ClientFrame {
  const result = clientFrame.safeParse(value);
  if (result.success) return result.data;
  throw new IsopodError("invalid_request", z.prettifyError(result.error), "See /openapi.json for what is accepted.");
}

/** The id of a frame, even if the rest of it is invalid. */
export function idIn(value: unknown): string | undefined {
  const result = z.object({ id }).safeParse(value);
  return result.success ? result.data.id : undefined;
}
