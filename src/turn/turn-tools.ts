import type { AnyTool } from "../agent/tool.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { agentIn } from "../services/services.ts";
import { toolsFor } from "../tools/index.ts";
import { leavesOn } from "../tools/policy.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { gatewayPort } from "./gateway-port.ts";
import { resourcesOf } from "./resources.ts";
import type { Occasion } from "./turn-context.ts";
import type { ToolsRoom } from "./turn-deps.ts";
import { turnRecall } from "./turn-recall.ts";
import { turnShell } from "./turn-shell.ts";

/** The tools of a turn, over what it may reach. */
export function turnTools(occasion: Occasion, room: ToolsRoom, workspace: Workspace): AnyTool[] {
  const { readEtags, status, sessions, outbox, extraTools, wiring, skills } = room;
  const { owner } = occasion.speaker;
  const plans = wiring.config.tools.experimental.planTool;
  const config = gatewayPort(occasion, wiring);
  const agent = agentIn(wiring, parseSessionKey(occasion.session.key).agentId);
  const own = {
    owner,
    workspace,
    readEtags,
    resources: resourcesOf(skills, owner),
    skillFolders: skills.files,
    exec: turnShell(agent, room, workspace),
    sessions,
    status,
    outbox,
    config,
    recall: turnRecall(occasion, agent, wiring),
    plans,
  };
  return toolsFor(own, extraTools).filter(({ name }) => leavesOn(agent.toolPolicies, name));
}
