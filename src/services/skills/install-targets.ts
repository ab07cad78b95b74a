import type { Agent } from "../../config/agents.ts";
import { agentInstallTarget, type InstallTarget, managedInstallTarget } from "../../skills/install/install-target.ts";
import type { Services } from "../services.ts";

/**
 * The install targets for an agent: its own workspace, and the folder of all agents. Creating them accesses no store.
 */
export function installTargets(
  agent: Agent,
  { installs, workspaceOf }: Pick<Services, "installs" | "workspaceOf">,
): { own: InstallTarget; managed: InstallTarget } {
  return { own: agentInstallTarget(installs, agent, workspaceOf(agent)), managed: managedInstallTarget(installs) };
}
