import type { Loop } from "../agent/journal.ts";
import { runLoop } from "../agent/loop.ts";
import type { AnyTool } from "../agent/tool.ts";
import { objectNameOf } from "../config/session-ids.ts";
import { newId } from "../lib/ids.ts";
import { hookedLoop } from "../plugins/apply-loop-hooks.ts";
import { hookedModel } from "../plugins/apply-model-hooks.ts";
import { sessionModel } from "../services/model-lookup.ts";
import { agentIn } from "../services/services.ts";
import { preferencesOf } from "../session-store/preferences.ts";
import { withResults } from "../session-store/results-in-workspace.ts";
import type { Conclusion } from "../session-store/run-result.ts";
import { keepOutput, sessionFolder } from "../session-store/spill.ts";
import type { ActiveRun } from "./active-run.ts";
import { turnRules } from "./context-rules.ts";
import { beginsConversation, tellBoundaries } from "./conversation-hooks.ts";
import { standbyOf } from "./failover.ts";
import { openConversation } from "./greeting.ts";
import { withFiles } from "./output/reply-files.ts";
import { conclude } from "./output/reply-parts.ts";
import { withUsage } from "./output/usage-footer.ts";
import { samplingOf } from "./sampling.ts";
import { tellOfSkills } from "./skills/call-skill.ts";
import { directTurn } from "./skills/direct-turn.ts";
import { noteWarning } from "./truncation-warning.ts";
import { occasionOf } from "./turn-context.ts";
import type { TurnRoom } from "./turn-deps.ts";
import { gatherFiles, loadImage } from "./turn-files.ts";
import { turnPrompt } from "./turn-prompt.ts";
import { turnTools } from "./turn-tools.ts";

/** Silence of a model after which its call is given up. */
export const MODEL_IDLE_MS = 120_000;

/**
 * One turn, from the stored input to the reply: gathers what the agent sees, renders the prompt, lets the model work,
 * and shapes what it said; undefined where it pauses for a person. Before it asks the model a warm turn costs one R2
 * operation, the listing of the workspace.
 */
export async function takeTurn(run: ActiveRun, room: TurnRoom): Promise<Conclusion | undefined> {
  const agent = agentIn(room.wiring, room.owner.agentId);
  const workspace = room.wiring.workspaceOf(agent);
  const spills = { bucket: room.files, folder: sessionFolder(agent.id, await objectNameOf(room.owner.key)) };
  const seen = withResults(workspace, { spills, resultAt: room.resultAt });
  const occasion = occasionOf(run, room.owner);
  const skills = await room.skills.forTurn({ occasion, agent, listing: room.listing });
  const tools = turnTools(occasion, { ...room, skills }, seen);
  const keep: Loop["keep"] = (output) =>
    keepOutput(output, { ...spills, maxChars: agent.contextLimits.toolResultMaxChars }, Date.now());
  await tellBoundaries(run, room);
  if (canRecall(tools) && beginsConversation(run.journal, room.owner)) room.wiring.compareMemory(agent);
  const direct = await directTurn(run, room, { skills, tools, keep });
  if (direct !== undefined) return direct === "paused" ? undefined : direct;
  const { model: chosen = sessionModel(room.owner.settings, agent, room.wiring) } = run.journal.state;
  const preferences = preferencesOf(room.owner.settings, agent, run.journal.state);
  const messages = () => run.journal.context();
  const standby = standbyOf(
    [
      await hookedModel(chosen, { runId: run.row.id, messages }, { hooks: room.hooks, model: room.wiring.model }),
      ...agent.fallbacks,
    ],
    run,
    room,
  );
  await openConversation(run, agent, workspace, room);
  const files = await gatherFiles(occasion, agent, workspace, room);
  const model = await standby.lead();
  const prompt = await turnPrompt(occasion, { agent, tools, files, skills, model: model.ref, messages }, room);
  await Promise.all([room.prompts.keep(prompt, tools, run), room.slot]);
  const end = await runLoop(
    {
      model,
      failover: standby,
      systemOf: (other) => room.prompts.keep(prompt.of(other.ref), tools, run),
      request: {
        system: prompt.system,
        thinking: preferences.thinking,
        cacheKey: agent.id,
        loadImage: (path) => loadImage(path, workspace, skills.files),
        ...samplingOf(agent),
      },
      tools,
      journal: run.journal,
      modelIdleMs: MODEL_IDLE_MS,
      budget: room.budget,
      repetition: room.wiring.config.tools.loopDetection,
      hooks: hookedLoop(room.hooks, run.row.id),
      context: turnRules(agent, tools, run, room, Date.now()),
      allowedTools: room.owner.settings.allowedTools ?? [],
      keep,
      complete: () => tellOfSkills(run, skills),
      emit: (event) => {
        room.log.show(run.row.id, Date.now(), event);
        room.voice.hear(event);
      },
      directed: (directives) => room.voice.directed(directives),
      newMessageId: () => newId("msg", Date.now()),
      now: Date.now,
    },
    run.signal,
  );
  if (end.kind === "paused") return undefined;
  noteWarning(end, prompt.input, room);
  const { voice } = room;
  const footing = { mode: preferences.usage, isBegun: voice.isBegun };
  const said = withUsage(conclude(end, run.signal, voice), run.journal.state.usage, footing);
  return withFiles(said, run, { voice, workspace });
}

function canRecall(tools: readonly AnyTool[]): boolean {
  return tools.some(({ name }) => name === "memory_search");
}
