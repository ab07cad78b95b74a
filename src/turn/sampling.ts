import type { Agent } from "../config/agents.ts";
import type { ModelRequest } from "../models/model.ts";

/** The sampling parameters and the output limit of an agent's requests. */
export function samplingOf({ params }: Agent): Pick<ModelRequest, "temperature" | "topP" | "maxOutputTokens"> {
  const { temperature, topP, maxTokens } = params;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
  };
}
