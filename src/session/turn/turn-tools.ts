import type { AnyTool } from "../../agent/tool.ts";
import type { Agent } from "../../config/agents.ts";
import { toolsFor } from "../../tools/index.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ActiveRun } from "../engine.ts";
import type { PromptRoom } from "./turn-room.ts";

/** The tools of a turn, over what it may reach. */
export function turnTools(run: ActiveRun, room: PromptRoom, agent: Agent, workspace: Workspace): AnyTool[] {
  const { readEtags, status, outbox, extraTools, wiring } = room;
  const { owner } = run.speaker;
  const sessions = room.sessionsFor(run, agent);
  const plans = wiring.config.tools.experimental.planTool;
  return toolsFor({ owner, workspace, readEtags, sessions, status, outbox, plans }, extraTools);
}
