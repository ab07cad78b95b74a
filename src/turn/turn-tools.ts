import type { AnyTool } from "../agent/tool.ts";
import { toolsFor } from "../tools/index.ts";
import { allowsTool } from "../tools/policy.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { gatewayPort } from "./gateway-port.ts";
import { resourcesOf } from "./resources.ts";
import type { TurnContext } from "./turn-context.ts";
import type { ToolsDeps } from "./turn-deps.ts";
import { turnRecall } from "./turn-recall.ts";
import { turnShell } from "./turn-shell.ts";

/**
 * The tools of a turn. Four gates decide whether its sender may run `exec`:
 * 1. `principalOf` (principal.ts) decides whether the sender is an owner.
 * 2. `toolsFor` (tools/index.ts) gives `exec` only to owners, and only if `turnShell` opens a shell.
 * 3. `allowsTool` (tools/policy.ts) applies the agent's tool policies.
 * 4. The exec rules of the agent's configuration turn commands off, or ask an owner to approve each (tools/exec.ts).
 */
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
  return toolsFor(own, extraTools).filter(({ name }) => allowsTool(agent.toolPolicies, name));
}
