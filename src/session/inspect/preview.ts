import { toolSchema } from "../../agent/tool-schema.ts";
import { IsopodError } from "../../lib/errors.ts";
import { reportPrompt } from "../../prompt/report.ts";
import { dryWorkspace } from "../../workspace/dry.ts";
import { isSeeded } from "../../workspace/seed.ts";
import { lookUpModel } from "../turn/model-choice.ts";
import { filesReadOf } from "../turn/shared-files.ts";
import { gatherFiles } from "../turn/turn-files.ts";
import { turnPrompt } from "../turn/turn-prompt.ts";
import { turnTools } from "../turn/turn-tools.ts";
import { agentIn, type Wiring } from "../wiring.ts";
import { previewHooks } from "./preview-hooks.ts";
import { type PreviewQuery, previewOccasion } from "./preview-occasion.ts";
import { previewPorts } from "./preview-ports.ts";
import { type PromptView, promptView } from "./prompt-view.ts";

/** What a turn would be given now. */
export interface PromptPreview extends PromptView {
  /** False where no turn has furnished the workspace yet: then the files are those that the first one will write. */
  seeded: boolean;
}

/** Of which turn, and for which model: `provider/model` or an alias; absent for the agent's own. */
export interface PreviewRequest extends PreviewQuery {
  model?: string | undefined;
}

/**
 * The prompt that a turn would get now, gathered and rendered as a live one is. No session is made or woken, and nothing
 * is written. Plugins are asked as in a turn in which nobody has said anything, and which model they would choose is not.
 * @throws IsopodError `invalid_request` that names the field, `not_found` for the agent
 * @throws WorkspaceError `unavailable`
 */
export async function previewPrompt(
  agentId: string,
  { model: word, ...query }: PreviewRequest,
  wiring: Wiring,
  now: number,
): Promise<PromptPreview> {
  const agent = agentIn(wiring, agentId);
  const occasion = previewOccasion(agentId, query, wiring);
  const model = word === undefined ? wiring.modelRefOf(agent) : modelNamed(word, wiring);
  const stored = wiring.workspaceOf(agent);
  const listed = await stored.list("");
  const workspace = dryWorkspace(stored, now);
  const ports = previewPorts(occasion, agentId, wiring);
  const hooks = previewHooks(occasion, agentId, { wiring, workspace, now });
  const tools = turnTools(occasion, ports, workspace);
  const room = { ...ports, hooks, bootstrapCache: filesReadOf(agentId), listing: Promise.resolve(listed) };
  const files = await gatherFiles(occasion, agent, workspace, room);
  const prompt = await turnPrompt(occasion, { agent, tools, files, model, messages: () => [] }, room);
  const of = { agentId, sessionKey: occasion.session.key, mode: occasion.mode, model };
  const view = await promptView(of, prompt.system, reportPrompt(prompt, prompt.input), tools.map(toolSchema));
  return { ...view, seeded: isSeeded(listed) };
}

function modelNamed(word: string, wiring: Wiring): string {
  const found = lookUpModel(() => wiring, word);
  if (found.kind === "model") return found.ref;
  throw new IsopodError("invalid_request", `model: ${found.problem}`, "Give provider/model, or an alias.");
}
