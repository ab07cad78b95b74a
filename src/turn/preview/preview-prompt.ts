import { IsopodError } from "../../lib/errors.ts";
import { lookUpModel } from "../../services/model-lookup.ts";
import { agentIn, type Wiring } from "../../services/services.ts";
import { freshSkills } from "../skills/fresh-skills.ts";
import { type PreviewQuery, previewOccasion } from "./preview-context.ts";
import { lookAtPrompt, type PromptLook } from "./preview-turn.ts";

/** Of which turn, and for which model: `provider/model` or an alias; absent for the agent's own. */
export interface PreviewRequest extends PreviewQuery {
  model?: string | undefined;
}

/**
 * The prompt that a turn of an agent would get now. No session is made or woken. Plugins are asked as in a turn in which
 * nobody has said anything.
 * @throws IsopodError `invalid_request` that names the field, `not_found` for the agent, `unavailable`
 */
export function previewPrompt(
  agentId: string,
  { model: word, ...query }: PreviewRequest,
  wiring: Wiring,
  now: number,
): Promise<PromptLook> {
  const agent = agentIn(wiring, agentId);
  const occasion = previewOccasion(agentId, query, wiring);
  const model = word === undefined ? wiring.modelRefOf(agent) : modelNamed(word, wiring);
  const extraTools = wiring.plugins.tools;
  return lookAtPrompt(occasion, { agentId, model, wiring, extraTools, skills: freshSkills(wiring), messages: [], now });
}

function modelNamed(word: string, wiring: Wiring): string {
  const found = lookUpModel(() => wiring, word);
  if (found.kind === "model") return found.ref;
  throw new IsopodError("invalid_request", `model: ${found.problem}`, "Give provider/model, or an alias.");
}
