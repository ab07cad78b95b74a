import { agentOf } from "../config/agents.ts";
import type { Services } from "../services/services.ts";
import { isSkillPath, noteSkillChange } from "../services/skills/note-skill-change.ts";
import { seedOnFirstUse } from "../workspace/seed.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * The workspace of an agent for a request. Skill changes made through it take effect in each session's next turn.
 * @throws IsopodError `not_found` where there is no such agent
 */
export function openWorkspace(
  { config, workspaceOf }: Pick<Services, "config" | "workspaceOf">,
  id: string,
  env: Parameters<typeof noteSkillChange>[0],
): Workspace {
  const agent = agentOf(config, id);
  const workspace = workspaceOf(agent);
  return announcingSkillChanges(agent.defaults.skipBootstrap ? workspace : seedOnFirstUse(workspace, Date.now()), env);
}

function announcingSkillChanges(workspace: Workspace, env: Parameters<typeof noteSkillChange>[0]): Workspace {
  const announced = async <Result>(path: string, changed: Result): Promise<Result> => {
    if (isSkillPath(path)) await noteSkillChange(env);
    return changed;
  };
  return {
    ...workspace,
    write: async (path, content, expect) => announced(path, await workspace.write(path, content, expect)),
    remove: async (path, expect) => announced(path, await workspace.remove(path, expect)),
    restore: async (path, versionId, expect) => announced(path, await workspace.restore(path, versionId, expect)),
  };
}
