import { agentOf } from "../config/agents.ts";
import { workspacePrefix } from "../config/workspace-prefix.ts";
import type { Wiring } from "../session/wiring.ts";
import { seedWorkspace } from "../workspace/seed.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** The prefixes of workspaces of which this isolate knows that they are furnished. */
const furnished = new Set<string>();

/**
 * The workspace of an agent as everybody outside of a turn finds it: furnished, whoever comes first. Costs a listing, once
 * in an isolate.
 * @throws IsopodError `not_found` where there is no such agent
 */
export async function openWorkspace(
  wiring: Pick<Wiring, "config" | "workspaceOf">,
  agentId: string,
): Promise<Workspace> {
  const agent = agentOf(wiring.config, agentId);
  const workspace = wiring.workspaceOf(agent);
  const prefix = workspacePrefix(agentId, agent.workspace);
  if (agent.defaults.skipBootstrap || furnished.has(prefix)) return workspace;
  await seedWorkspace(workspace, await workspace.list(""), Date.now());
  furnished.add(prefix);
  return workspace;
}
