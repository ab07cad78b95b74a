import { z } from "zod";
import type { Target } from "../channels/channel.ts";
import { agentOf, resolveAlias } from "../config/agents.ts";
import { IsopodError } from "../lib/errors.ts";
import { head } from "../lib/text.ts";
import type { Services } from "../services/services.ts";
import type { RunInput } from "./run.ts";

/** Most characters of a message; as JSON it always fits into a row. */
export const MAX_INPUT_CHARS = 200_000;

/** Most characters of the extra context of a run. */
export const MAX_EXTRA_CONTEXT_CHARS = 100_000;

/** How somebody who is logged in asks for a run; the fields are the same at every door. */
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
 * What a run is given that was asked for so.
 * @throws IsopodError `not_found` where there is no such agent, `invalid_request` where there is no such model
 */
export function requestInput(request: RunRequest, agentId: string, services: Services): RunInput {
  const agent = agentOf(services.config, agentId);
  const { message, model, thinking, timeoutSeconds = agent.defaults.timeoutSeconds } = request;
  return {
    text: message,
    sender: { id: "api", owner: true },
    ...(model !== undefined && { model: requireModel(model, services) }),
    ...(thinking && { thinking }),
    timeoutSeconds,
  };
}

/** A caller's idempotency key, apart from those under which channels hand messages over. */
export function callerKey(idempotencyKey: string): string {
  return `api:${idempotencyKey}`;
}

/** A model that is asked for by name or alias, as `provider/model`: it has to be there before anything is stored. */
function requireModel(model: string, services: Services): string {
  try {
    return services.model(resolveAlias(services.config, model)).ref;
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    throw new IsopodError("invalid_request", `model: ${error.message}`, error.hint);
  }
}

/** What a door hands over. It may be handed over again: the same run id, or the same key, is the same run. */
export interface AcceptRequest {
  sessionKey: string;
  agentId: string;
  runId: string;
  idempotencyKey?: string;
  /** What is asked under the key, as a digest: something else under the same key is refused as a conflict. */
  inputDigest?: string;
  /** A run that was accepted under the key before this instant is another one, and gives the key up. */
  keySince?: number;
  input: RunInput;
  /** Where the reply is to be delivered; absent where whoever asked reads it here. */
  target?: Target;
  /** The revision of the configuration that the door knows: the run has this one, or a newer one. */
  configRevision?: number;
  /** A session that this begins is deleted so long after its last run; absent where it stays. */
  lingerMs?: number;
}
/** The answer once the input is stored. */
export interface AcceptedRun {
  runId: string;
  sessionKey: string;
  sessionId: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
}
/** A run that was accepted, with its events from the first to the last. */
export interface FollowedRun {
  accepted: AcceptedRun;
  events: ReadableStream<Uint8Array>;
}

/** What a run is asked, as it may be stored: without halves of surrogate pairs, which some models refuse, and cut. */
export function boundedInput(input: RunInput): RunInput {
  const { extraContext } = input;
  return {
    ...input,
    text: boundedText(input.text, MAX_INPUT_CHARS),
    ...(extraContext !== undefined && { extraContext: boundedText(extraContext, MAX_EXTRA_CONTEXT_CHARS) }),
  };
}

function boundedText(raw: string, max: number): string {
  const text = raw.toWellFormed();
  const kept = head(text, max);
  if (kept.length === text.length) return text;
  return `${kept}\n\n[${text.length - kept.length} more characters were left out here.]`;
}
