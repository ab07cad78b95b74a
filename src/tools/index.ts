import type { AnyTool } from "../agent/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { applyPatchTool } from "./apply-patch.ts";
import { editTool } from "./edit.ts";
import { type ExecPort, execTool } from "./exec.ts";
import { findTool } from "./find.ts";
import { type ConfigPort, gatewayTool } from "./gateway.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { memoryGetTool, memorySearchTool, type RecallPort } from "./memory.ts";
import { messageTool, type OutboxPort } from "./message.ts";
import { listPagesTool, readPagesTool } from "./pages.ts";
import { readTool, type SkillFolders } from "./read.ts";
import type { ReadEtags } from "./read-etags.ts";
import type { Resources } from "./resources.ts";
import { type StatusPort, sessionStatusTool } from "./session-status.ts";
import { sessionsHistoryTool, sessionsListTool, sessionsSendTool } from "./sessions.ts";
import type { SessionsPort } from "./sessions-port.ts";
import { agentsListTool, sessionsSpawnTool, subagentsTool } from "./subagents.ts";
import { updatePlanTool } from "./update-plan.ts";
import { writeTool } from "./write.ts";

/** What the tools of a turn work on, and for whom. */
export interface ToolDeps {
  /** Owners get the profile `coding`, everyone else `messaging`, which has no tool for the workspace and sets nothing. */
  owner: boolean;
  workspace: Workspace;
  readEtags: ReadEtags;
  /** What may be read besides the workspace. */
  resources: Resources;
  skillFolders: SkillFolders;
  /** How commands are run, where they may be. */
  exec: ExecPort | undefined;
  /** Other sessions, where the turn may reach them. */
  sessions: SessionsPort | undefined;
  /** The way to people, where there is one. */
  outbox: OutboxPort | undefined;
  /** The session of the turn. */
  status: StatusPort;
  /** The configuration, where the turn may reach it. */
  config: ConfigPort | undefined;
  /** The agent's memory, where the turn may search it. */
  recall: RecallPort | undefined;
  /** Whether there is `update_plan`. */
  plans: boolean;
}

/** The tools of a turn, in the order in which the prompt lists them, then those of plugins. */
export function toolsFor(deps: ToolDeps, plugins: readonly AnyTool[] = []): AnyTool[] {
  const {
    owner,
    workspace,
    readEtags,
    resources,
    skillFolders,
    exec,
    sessions,
    status,
    outbox,
    config,
    recall,
    plans,
  } = deps;
  const message = outbox === undefined ? [] : [messageTool(outbox, owner)];
  if (!owner) return [readPagesTool(resources), listPagesTool(resources), ...message, sessionStatusTool(status, false)];
  return [
    readTool(workspace, readEtags, resources, skillFolders),
    writeTool(workspace, readEtags),
    editTool(workspace, readEtags),
    applyPatchTool(workspace, readEtags),
    grepTool(workspace, resources),
    findTool(workspace),
    lsTool(workspace, resources),
    ...(exec === undefined ? [] : [execTool(exec, readEtags)]),
    ...message,
    ...(config === undefined ? [] : [gatewayTool(config)]),
    ...(sessions === undefined ? [] : sessionTools(sessions)),
    sessionStatusTool(status, true),
    ...(recall === undefined ? [] : [memorySearchTool(recall), memoryGetTool(recall)]),
    ...(plans ? [updatePlanTool()] : []),
    ...plugins,
  ];
}

function sessionTools(sessions: SessionsPort): AnyTool[] {
  return [
    ...(sessions.maySpawn ? [agentsListTool(sessions)] : []),
    sessionsListTool(sessions),
    sessionsHistoryTool(sessions),
    sessionsSendTool(sessions),
    ...(sessions.maySpawn ? [sessionsSpawnTool(sessions), subagentsTool(sessions)] : []),
  ];
}
