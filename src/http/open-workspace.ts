import { agentOf } from "../config/agents.ts";
import type { Services } from "../services/services.ts";
import { seedOnFirstUse } from "../workspace/seed.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** The workspace of an agent for a request. @throws IsopodError `not_found` where there is no such agent */
export function openWorkspace(
  { config, workspaceOf }: Pick<Services, "config" | "workspaceOf">,
  id: string,
): Workspace {
  const agent = agentOf(config, id);
  const workspace = workspaceOf(agent);
  return agent.defaults.skipBootstrap ? workspace : seedOnFirstUse(workspace, Date.now());
}
