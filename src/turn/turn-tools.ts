import type { AnyTool } from "../agent/tool.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { agentIn } from "../services/services.ts";
import { toolsFor } from "../tools/index.ts";
import { allowsTool } from "../tools/policy.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { gatewayPort } from "./gateway-port.ts";
import { resourcesOf } from "./resources.ts";
import type { TurnContext } from "./turn-context.ts";
import type { ToolsDeps } from "./turn-deps.ts";
import { turnRecall } from "./turn-recall.ts";
import { turnShell } from "./turn-shell.ts";

/** The tools of a turn, over what it may reach. */
export function turnTools(turnContext: TurnContext, deps: ToolsDeps, workspace: Workspace): AnyTool[] {
  const { readEtags, status, sessions, outbox, extraTools, services, skills } = deps;
  const { owner } = turnContext.principal;
  const plans = services.config.tools.experimental.planTool;
  const config = gatewayPort(turnContext, services);
  const agent = agentIn(services, parseSessionKey(turnContext.session.key).agentId);
  const own = {
    owner,
    workspace,
    readEtags,
    resources: resourcesOf(skills, owner),
    skillFolders: skills.files,
    exec: turnShell(agent, deps, workspace),
    sessions,
    status,
    outbox,
    config,
    recall: turnRecall(turnContext, agent, services),
    plans,
  };
  return toolsFor(own, extraTools).filter(({ name }) => allowsTool(agent.toolPolicies, name));
}
