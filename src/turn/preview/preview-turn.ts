import { type AnyTool, toolSchema } from "../../agent/tool.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { Message } from "../../models/message.ts";
import { reportPrompt } from "../../prompt/report.ts";
import { filesReadOf } from "../../services/bootstrap-caches.ts";
import type { TurnSkills } from "../../services/skills/turn-skills.ts";
import { type SkillsReport, skillsReport } from "../../services/skills/turn-skills.ts";
import { ReadEtags } from "../../tools/read-etags.ts";
import { dryWorkspace } from "../../workspace/dry.ts";
import { isSeeded } from "../../workspace/seed.ts";
import { WorkspaceError } from "../../workspace/workspace.ts";
import { TurnGate } from "../gate.ts";
import { mcpOfTurn } from "../mcp-of-turn.ts";
import { type OfferedTools, offerTools } from "../offer-tools.ts";
import type { SkillsSource } from "../skills/session-skills.ts";
import type { TurnContext } from "../turn-context.ts";
import { gatherFiles } from "../turn-files.ts";
import { turnPorts } from "../turn-ports.ts";
import { type TurnPrompt, turnPrompt } from "../turn-prompt.ts";
import { turnTools } from "../turn-tools.ts";
import { previewHooks } from "./preview-hooks.ts";
import { type PromptView, promptView } from "./prompt-view.ts";

/** The prompt that a turn would get now. */
export interface PromptPreview extends PromptView {
  /**
   * False if the workspace has not been seeded by a turn yet: then the files are those that the first turn will write.
   */
  seeded: boolean;
  /** A summary of its list of skills. */
  skills: SkillsReport;
  /** Problems of workspace files, shown or not, as sentences. */
  warnings: string[];
}

/** Dependencies of a preview, besides its context. */
export interface PreviewDeps {
  /** `provider/model`. */
  model: string;
  /** Tools of an owner's turn besides the built-in ones. */
  extraTools: readonly AnyTool[];
  skills: SkillsSource;
  /** The messages of the conversation, as plugins see them. */
  messages: readonly Message[];
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * The prompt that a turn would get now, gathered and rendered as in a live turn. Nothing is written, not even hooks'
 * changes; the model hooks do not run. Costs as much as the start of a turn.
 * @throws IsopodError `not_found` if there is no such agent, `unavailable` if its files cannot be read
 */
export async function previewTurn(context: TurnContext, deps: PreviewDeps): Promise<PromptPreview> {
  try {
    return await look(context, deps);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    throw new IsopodError("unavailable", error.message, "Try again in a moment.");
  }
}

async function look(context: TurnContext, deps: PreviewDeps): Promise<PromptPreview> {
  const { prompt, offers, skills, seeded } = await previewRequest(context, deps);
  const of = { agentId: context.agent.id, sessionKey: context.session.key, mode: context.mode, model: deps.model };
  const view = await promptView(
    of,
    prompt.system,
    reportPrompt(prompt, prompt.input),
    offers(deps.messages).map(toolSchema),
  );
  return { ...view, skills: skillsReport(skills), seeded, warnings: [...(prompt.input.fileWarnings ?? [])] };
}

/**
 * The prompt and the tools that a turn would get now. They go through the code of a live turn, over a workspace, hooks
 * and ports that are read-only.
 * @throws WorkspaceError `unavailable`
 */
export async function previewRequest(
  context: TurnContext,
  { model, extraTools, skills: source, messages, now }: PreviewDeps,
): Promise<OfferedTools & { prompt: TurnPrompt; skills: TurnSkills; seeded: boolean }> {
  const { agent, services } = context;
  const stored = services.workspaceOf(agent);
  const listed = await stored.list("");
  const workspace = dryWorkspace(stored, now);
  const listing = Promise.resolve(listed);
  const hooks = previewHooks(context, { workspace, now });
  const readEtags = new ReadEtags();
  const skills = await source.forTurn({ turnContext: context, agent, listing });
  const gate = new TurnGate(context, { messages: () => messages, grants: [], audit: () => undefined });
  const suspect = () => undefined;
  const mcp = await (await mcpOfTurn(context)).open({ gate, suspect }, workspace);
  const toolsDeps = {
    ...{ ports: turnPorts(context), readEtags, skills, gate, suspect, budget: undefined },
    ...{ servers: mcp.resources, workspaceFor: () => workspace },
  };
  const { tools, offers } = offerTools(
    turnTools(context, { ...toolsDeps, extraTools: [...extraTools, ...mcp.tools] }, workspace),
  );
  const bootstrapCache = filesReadOf(agent.id);
  const files = await gatherFiles(context, workspace, { hooks, readEtags, bootstrapCache, listing });
  const prompt = await turnPrompt(
    context,
    { tools, toolNotes: mcp.notes, files, skills, model, messages: () => messages },
    hooks,
  );
  return { prompt, tools, offers, skills, seeded: isSeeded(listed) };
}
