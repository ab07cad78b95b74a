import { runLoop } from "../agent/loop.ts";
import type { LoopDeps } from "../agent/loop-deps.ts";
import type { AnyTool } from "../agent/tool.ts";
import type { Agent } from "../config/agents.ts";
import { objectNameOf } from "../config/session-ids.ts";
import { newId } from "../lib/ids.ts";
import type { ModelRequest } from "../models/model.ts";
import { withLabels } from "../models/view-labels.ts";
import { applyLoopHooks } from "../plugins/apply-loop-hooks.ts";
import { applyModelHooks } from "../plugins/apply-model-hooks.ts";
import { sessionModel } from "../services/model-lookup.ts";
import type { RunResult } from "../session-store/run-result.ts";
import { sessionFolder, spillOutput, withResults } from "../session-store/spill.ts";
import { labelledWorkspace } from "../workspace/labelled.ts";
import type { ActiveRun } from "./active-run.ts";
import { turnRules } from "./context-rules.ts";
import { beginsConversation, runConversationHooks } from "./conversation-hooks.ts";
import { turnFailover } from "./failover.ts";
import { TurnGate } from "./gate.ts";
import { openConversation } from "./greeting.ts";
import { mcpOfTurn } from "./mcp-of-turn.ts";
import { offerTools } from "./offer-tools.ts";
import { runResult, withFiles, withUsage } from "./output/reply-parts.ts";
import { withSpeech } from "./output/speech.ts";
import { turnPreferences } from "./output/turn-preferences.ts";
import { noteWarning } from "./prompt-input.ts";
import { reviewFormat } from "./review-format.ts";
import { addSkillNotes } from "./skills/call-skill.ts";
import { directTurn } from "./skills/direct-turn.ts";
import type { TurnContext } from "./turn-context.ts";
import type { TurnDeps, TurnMcp } from "./turn-deps.ts";
import { gatherFiles, loadFile, readFilesAhead } from "./turn-files.ts";
import { speechPort } from "./turn-media.ts";
import { turnPrompt } from "./turn-prompt.ts";
import { turnTools } from "./turn-tools.ts";

/** Time without output after which a model call is abandoned. */
export const MODEL_IDLE_MS = 120_000;

/**
 * Runs one turn, from the stored input to the reply: gathers the workspace files, renders the prompt, runs the agent
 * loop, and shapes the reply; undefined if it pauses for an approval. Before the model call a warm turn costs one R2
 * operation, the listing of the workspace.
 */
export async function takeTurn(run: ActiveRun, context: TurnContext, deps: TurnDeps): Promise<RunResult | undefined> {
  const mcp = await mcpOfTurn(context);
  try {
    return await turnWith(mcp, run, context, deps);
  } finally {
    mcp.close();
  }
}

async function turnWith(
  mcp: TurnMcp,
  run: ActiveRun,
  context: TurnContext,
  deps: TurnDeps,
): Promise<RunResult | undefined> {
  const { agent, services, session } = context;
  const workspace = services.workspaceOf(agent);
  const spills = { bucket: deps.files, folder: sessionFolder(agent.id, await objectNameOf(session.key)) };
  const gate = new TurnGate(context, {
    messages: () => run.journal.context(),
    grants: session.settings.grants ?? [],
    audit: deps.audit,
  });
  const whole = withResults(workspace, { spills, resultAt: deps.resultAt });
  const workspaceFor = (approved?: boolean) =>
    labelledWorkspace(
      whole,
      () => gate.labels(approved),
      (path, labels) => gate.checkWrite(path, labels, approved),
    );
  const seen = workspaceFor();
  const readAhead = () => readFilesAhead(context, workspace, deps);
  const [skills, servers] = await Promise.all([
    deps.skills.forTurn({ turnContext: context, agent, listing: deps.listing, readAhead }),
    mcp.open({ gate, suspect: deps.suspect }, seen),
  ]);
  const { client } = run.journal.state;
  const extraTools = [...deps.extraTools, ...servers.tools];
  const { tools, offers } = offerTools(
    turnTools(context, { ...deps, extraTools, servers: servers.resources, skills, gate, workspaceFor }, seen),
    client?.tools?.length,
  );
  const keep: LoopDeps["keep"] = (output) =>
    spillOutput(output, { ...spills, maxChars: agent.contextLimits.toolResultMaxChars }, Date.now());
  await runConversationHooks(run, context, deps);
  if (canRecall(tools) && beginsConversation(run.journal, deps.session)) services.compareMemory(agent);
  const direct = await directTurn(run, context, deps, { skills, tools, keep, gate: (call) => gate.decide(call) });
  if (direct !== undefined) return direct === "paused" ? undefined : direct;

  const messages = () => run.journal.context();
  const { model: chosen = sessionModel(session.settings, agent, services) } = run.journal.state;
  const wanted = await applyModelHooks(
    chosen,
    { runId: run.row.id, messages },
    { hooks: deps.hooks, model: services.model },
  );
  const failover = turnFailover([wanted, ...agent.fallbacks], run, services);
  await openConversation(run, context, workspace);
  const files = await gatherFiles(context, workspace, deps);
  const model = await failover.lead();
  const prompt = await turnPrompt(
    context,
    { tools, toolNotes: servers.notes, files, skills, model: model.ref, messages },
    deps.hooks,
  );
  await Promise.all([deps.prompts.keep(prompt, offers(messages()), run), deps.slot]);

  const preferences = turnPreferences(run, context);
  const end = await runLoop(
    {
      model,
      failover,
      systemFor: (other) => deps.prompts.keep(prompt.of(other.ref), offers(messages()), run),
      request: {
        system: prompt.system,
        thinking: preferences.thinking,
        cacheKey: agent.id,
        loadFile: (path) => loadFile(path, workspace, skills.files),
        ...samplingOf(agent),
        ...(client?.toolChoice && { toolChoice: client.toolChoice }),
        ...(client?.format && { format: client.format }),
      },
      tools,
      offers,
      clientTools: client?.tools,
      review: client?.format && reviewFormat(client.format, run.journal),
      journal: run.journal,
      modelIdleMs: MODEL_IDLE_MS,
      budget: deps.budget,
      repetition: services.config.tools.loopDetection,
      hooks: applyLoopHooks(deps.hooks, run.row.id),
      context: turnRules(context, tools, Date.now()),
      gate: (call) => gate.decide(call),
      keep,
      complete: () => addSkillNotes(run, skills),
      mustYield: run.mustYield,
      emit: (event) => {
        deps.log.show(run.row.id, Date.now(), event);
        deps.output.onEvent(event);
      },
      onDirectives: (directives) => deps.output.onDirectives(directives),
      newMessageId: () => newId("msg", Date.now()),
      now: Date.now,
    },
    run.signal,
  );
  if (end.kind === "paused") return undefined;
  noteWarning(end, prompt.input, deps.noteWarned);
  if (end.kind === "yielded") return runResult(end, run.signal, deps.output);
  const { output } = deps;
  const footer = { mode: preferences.usage, isBegun: output.isBegun };
  const { message, ...shaped } = runResult(end, run.signal, output);
  const labelled = message && { message: withLabels(message, messages()) };
  const result = withUsage({ ...shaped, ...labelled }, run.journal.state.usage, footer);
  const withAll = await withFiles(result, run, { output, workspace, mayShow: (path) => gate.mayShow(path) });
  const { isPrivate } = output;
  return withSpeech(withAll, run, context, { speech: speechPort(context, deps.budget), workspace: seen, isPrivate });
}

function canRecall(tools: readonly AnyTool[]): boolean {
  return tools.some(({ name }) => name === "memory_search");
}

/** The sampling parameters and the output limit of an agent's requests. */
export function samplingOf({ params }: Agent): Pick<ModelRequest, "temperature" | "topP" | "maxOutputTokens"> {
  const { temperature, topP, maxTokens } = params;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
  };
}
