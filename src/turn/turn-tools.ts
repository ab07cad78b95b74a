import type { AnyTool } from "../agent/tool.ts";
import { toolsFor } from "../tools/index.ts";
import { leavesOn } from "../tools/policy.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { gatewayPort } from "./gateway-port.ts";
import { resourcesOf } from "./resources.ts";
import type { TurnContext } from "./turn-context.ts";
import type { ToolsDeps } from "./turn-deps.ts";
import { turnRecall } from "./turn-recall.ts";
import { turnShell } from "./turn-shell.ts";

/** The tools of a turn, over what it may reach. */
export function turnTools(context: TurnContext, deps: ToolsDeps, workspace: Workspace): AnyTool[] {
  const { readEtags, extraTools, skills } = deps;
  const { services, agent, principal } = context;
  const { owner } = principal;
  const plans = services.config.tools.experimental.planTool;
  const own = {
    owner,
    workspace,
    readEtags,
    resources: resourcesOf(skills, owner),
    skillFolders: skills.files,
    exec: turnShell(context, skills, workspace),
    ...deps.ports,
    config: gatewayPort(context),
    recall: turnRecall(context),
    plans,
  };
  return toolsFor(own, extraTools).filter(({ name }) => leavesOn(agent.toolPolicies, name));
}
