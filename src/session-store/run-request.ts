import { z } from "zod";
import { agentOf, resolveAlias } from "../config/agents.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Services } from "../services/services.ts";
import { MAX_INPUT_CHARS } from "./merge-key.ts";
import type { RunInput } from "./run.ts";

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
export function runInputOf(request: RunRequest, agentId: string, services: Services): RunInput {
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
