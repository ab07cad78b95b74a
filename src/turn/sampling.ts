import type { Agent } from "../config/agents.ts";
import type { ModelRequest } from "../models/model.ts";

/** What an agent's requests say of how to choose words, and of how many there may be. */
export function samplingOf({ params }: Agent): Pick<ModelRequest, "temperature" | "topP" | "maxOutputTokens"> {
  const { temperature, topP, maxTokens } = params;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
  };
}
