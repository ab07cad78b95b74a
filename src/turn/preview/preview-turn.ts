import { type AnyTool, toolSchema } from "../../agent/tool.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { Message } from "../../models/message.ts";
import { reportPrompt } from "../../prompt/report.ts";
import { filesReadOf } from "../../services/bootstrap-caches.ts";
import { agentIn, type Services } from "../../services/services.ts";
import { type SkillsReport, skillsReport } from "../../services/skills/skills-report.ts";
import type { TurnSkills } from "../../services/skills/turn-skills.ts";
import { dryWorkspace } from "../../workspace/dry.ts";
import { isSeeded } from "../../workspace/seed.ts";
import { WorkspaceError } from "../../workspace/workspace.ts";
import type { SkillsSource } from "../skills/session-skills.ts";
import type { TurnContext } from "../turn-context.ts";
import { gatherFiles } from "../turn-files.ts";
import { type TurnPrompt, turnPrompt } from "../turn-prompt.ts";
import { turnTools } from "../turn-tools.ts";
import { previewHooks } from "./preview-hooks.ts";
import { previewPorts } from "./preview-ports.ts";
import { type PromptView, promptView } from "./prompt-view.ts";

/** What a turn would be given now. */
export interface PromptPreview extends PromptView {
  /** False where no turn has furnished the workspace yet: then the files are those that the first one will write. */
  seeded: boolean;
  /** What the list of skills in it comes to. */
  skills: SkillsReport;
  /** What is wrong with workspace files, shown or not, in sentences. */
  warnings: string[];
}

/** For whom somebody looks, and with what. */
export interface PreviewDeps {
  agentId: string;
  /** `provider/model`. */
  model: string;
  services: Services;
  /** Tools of an owner's turn besides the built-in ones. */
  extraTools: readonly AnyTool[];
  skills: SkillsSource;
  /** What is in the conversation, as plugins are told of it. */
  messages: readonly Message[];
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * The prompt that a turn would get now, gathered and rendered as a live one is. Nothing is written, not even what plugins
 * change; which model they would choose is not asked. Costs what a turn's start does.
 * @throws IsopodError `not_found` where there is no such agent, `unavailable` where its files do not answer
 */
export async function previewTurn(turnContext: TurnContext, deps: PreviewDeps): Promise<PromptPreview> {
  try {
    return await look(turnContext, deps);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    throw new IsopodError("unavailable", error.message, "Try again in a moment.");
  }
}

async function look(turnContext: TurnContext, deps: PreviewDeps): Promise<PromptPreview> {
  const { prompt, tools, skills, seeded } = await previewRequest(turnContext, deps);
  const of = { agentId: deps.agentId, sessionKey: turnContext.session.key, mode: turnContext.mode, model: deps.model };
  const view = await promptView(of, prompt.system, reportPrompt(prompt, prompt.input), tools.map(toolSchema));
  return { ...view, skills: skillsReport(skills), seeded, warnings: [...(prompt.input.fileWarnings ?? [])] };
}

/**
 * The prompt and the tools themselves that a turn would get now; the tools are not to be run.
 * @throws WorkspaceError `unavailable`, IsopodError `not_found`
 */
export async function previewRequest(
  turnContext: TurnContext,
  deps: PreviewDeps,
): Promise<{ prompt: TurnPrompt; tools: AnyTool[]; skills: TurnSkills; seeded: boolean }> {
  const { agentId, model, services, extraTools, messages, now } = deps;
  const agent = agentIn(services, agentId);
  const stored = services.workspaceOf(agent);
  const listed = await stored.list("");
  const workspace = dryWorkspace(stored, now);
  const listing = Promise.resolve(listed);
  const skills = await deps.skills.forTurn({ turnContext, agent, listing });
  const ports = { ...previewPorts(turnContext, agentId, services), skills, extraTools };
  const hooks = previewHooks(turnContext, agentId, { services, workspace, now });
  const tools = turnTools(turnContext, ports, workspace);
  const gathered = { ...ports, hooks, bootstrapCache: filesReadOf(agentId), listing };
  const files = await gatherFiles(turnContext, agent, workspace, gathered);
  const prompt = await turnPrompt(
    turnContext,
    { agent, tools, files, skills, model, messages: () => messages },
    gathered,
  );
  return { prompt, tools, skills, seeded: isSeeded(listed) };
}
