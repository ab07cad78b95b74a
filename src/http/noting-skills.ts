import { isSkillPath, noteSkillChange } from "../services/skills/note-skill-change.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** A workspace in which somebody outside of any conversation works: what they change of skills counts from each session's next turn. */
export function notingSkills(workspace: Workspace, env: Pick<Env, "DB" | "ISOPOD_CONFIG">): Workspace {
  const noted = async <Result>(path: string, changed: Result): Promise<Result> => {
    if (isSkillPath(path)) await noteSkillChange(env);
    return changed;
  };
  return {
    ...workspace,
    write: async (path, content, expect) => noted(path, await workspace.write(path, content, expect)),
    remove: async (path, expect) => noted(path, await workspace.remove(path, expect)),
    restore: async (path, versionId, expect) => noted(path, await workspace.restore(path, versionId, expect)),
  };
}
