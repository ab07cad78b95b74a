import { IsopodError } from "../../lib/errors.ts";
import { lookUpModel } from "../../services/model-lookup.ts";
import type { Services } from "../../services/services.ts";
import { freshSkills } from "../skills/session-skills.ts";
import { type PreviewQuery, previewContext } from "./preview-context.ts";
import { type PromptPreview, previewTurn } from "./preview-turn.ts";

/** The turn and the model to preview: `provider/model` or an alias; absent for the agent's own model. */
export interface PreviewRequest extends PreviewQuery {
  model?: string | undefined;
}

/**
 * The prompt that a turn of an agent would get now. No session is created or loaded. Hooks run as in a turn of an empty
 * conversation.
 * @throws IsopodError `invalid_request` that names the field, `not_found` for the agent, `unavailable`
 */
export function previewPrompt(
  agentId: string,
  { model: word, ...query }: PreviewRequest,
  services: Services,
  now: number,
): Promise<PromptPreview> {
  const context = previewContext(agentId, query, services);
  const model = word === undefined ? services.modelRefOf(context.agent) : modelNamed(word, services);
  const extraTools = services.plugins.tools;
  return previewTurn(context, {
    model,
    extraTools,
    skills: freshSkills(services),
    messages: [],
    now,
  });
}

function modelNamed(word: string, services: Services): string {
  const found = lookUpModel(() => services, word);
  if (found.kind === "model") return found.ref;
  throw new IsopodError("invalid_request", `model: ${found.problem}`, "Give provider/model, or an alias.");
}
