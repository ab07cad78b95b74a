import { z } from "zod";
import type { Target } from "../channels/channel.ts";
import { resolveAlias } from "../config/agents.ts";
import { IsopodError } from "../lib/errors.ts";
import { head } from "../lib/text.ts";
import type { Said } from "../models/message.ts";
import { agentIn, type Services } from "../services/services.ts";
import type { RunInput } from "./run-input.ts";

/** Most characters of a message; as JSON it always fits into a row. */
export const MAX_INPUT_CHARS = 200_000;

/** Most characters of the extra context of a run. */
export const MAX_EXTRA_CONTEXT_CHARS = 100_000;

/** A run request of a logged-in user; all HTTP and WebSocket routes use these fields. */
export const runRequest = z.strictObject({
  message: z.string().min(1).max(MAX_INPUT_CHARS).meta({ description: "What to say to the agent.", example: "Hello" }),
  idempotencyKey: z.string().min(1).max(200).optional().meta({ description: "The same key is the same run." }),
  model: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "`provider/model`, or an alias of one, for this run only." }),
  thinking: z.enum(["off", "minimal", "low", "medium", "high"]).optional(),
  timeoutSeconds: z.int().min(0).max(86_400).optional().meta({ description: "Longest time of the run; 0 is none." }),
});

export type RunRequest = z.infer<typeof runRequest>;

/**
 * The input of a run for a request.
 * @throws IsopodError `not_found` for an unknown agent, `invalid_request` for an unknown model
 */
export function requestInput(
  request: RunRequest,
  { agentId, place = "direct" }: { agentId: string; place?: Said["place"] },
  services: Services,
): RunInput {
  const agent = agentIn(services, agentId);
  const { message, model, thinking, timeoutSeconds = agent.defaults.timeoutSeconds } = request;
  return {
    text: message,
    sender: { id: "api", owner: true },
    said: { zone: agent.defaults.userTimezone ?? "UTC", place, as: "api" },
    ...(model !== undefined && { model: requireModel(model, services) }),
    ...(thinking && { thinking }),
    timeoutSeconds,
  };
}

/** The key of a caller, kept apart from the keys of channels. */
export function callerKey(idempotencyKey: string): string {
  return `api:${idempotencyKey}`;
}

/**
 * Resolves a model name or alias to `provider/model`, before anything is stored.
 * @throws IsopodError `invalid_request` for an unknown one
 */
export function requireModel(model: string, services: Services): string {
  try {
    return services.model(resolveAlias(services.config, model)).ref;
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    throw new IsopodError("invalid_request", `model: ${error.message}`, error.hint);
  }
}

/** A run to accept. It may be repeated: the same run id or key is the same run. */
export interface AcceptRequest {
  sessionKey: string;
  agentId: string;
  runId: string;
  idempotencyKey?: string;
  /** Digest of the request under the key: another request under the same key is a conflict. */
  inputDigest?: string;
  /** A run that was accepted under the key before this instant releases the key. */
  keySince?: number;
  input: RunInput;
  /** Where the reply is delivered; absent where the caller reads it here. */
  target?: Target;
  /**
   * The platform's id of an earlier message of which this is a new version, or that it takes back. What was answered is
   * not answered again: the change is told with the next message.
   */
  revises?: string;
  /** The configuration revision of the caller: the run uses this one or a newer one. */
  configRevision?: number;
  /** How long after its last run a session that this creates is deleted; absent where it stays. */
  lingerMs?: number;
}
/** The answer once the input is stored. */
export interface AcceptedRun {
  runId: string;
  sessionKey: string;
  sessionId: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
  /**
   * Of a heartbeat: the estimated cost of the heartbeat before it, in millionths of a US dollar, if that one had nothing to
   * say. It was stored nowhere else, so that a beat with nothing to say costs no row.
   */
  quietCostMicros?: number;
}
/** An accepted run and its events, from the first to the last. */
export interface FollowedRun {
  accepted: AcceptedRun;
  events: ReadableStream<Uint8Array>;
}

/** A run's input as it is stored: cut to size, and without lone surrogates, which some models reject. */
export function boundedInput(input: RunInput): RunInput {
  const { extraContext, quoted, results } = input;
  return {
    ...input,
    text: boundedText(input.text),
    ...(quoted !== undefined && { quoted: quoted.toWellFormed() }),
    ...(results && { results: results.map((result) => ({ ...result, text: result.text.toWellFormed() })) }),
    ...(extraContext !== undefined && { extraContext: boundedText(extraContext, MAX_EXTRA_CONTEXT_CHARS) }),
  };
}

/** A text cut to size, with a note on what was left out, and without lone surrogates. */
export function boundedText(raw: string, max = MAX_INPUT_CHARS): string {
  const text = raw.toWellFormed();
  const kept = head(text, max);
  if (kept.length === text.length) return text;
  return `${kept}\n\n[${text.length - kept.length} more characters were left out here.]`;
}
