import type { SkillSet } from "../../skills/skill.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** A folder of the workspace whose files no command sees, and why. */
export interface HiddenFolder {
  /** With a slash at its end: `skills/weather/`. */
  folder: string;
  reason: string;
}

const SKILL_FILE = /(?<=\/)SKILL\.md$/;

/** The folders of quarantined skills in the workspace. */
export function quarantinedFolders({ leftOut }: SkillSet): HiddenFolder[] {
  return leftOut
    .filter(({ code, location }) => code === "quarantined" && SKILL_FILE.test(location) && !location.includes("://"))
    .map(({ location, reason }) => ({ folder: location.replace(SKILL_FILE, ""), reason }));
}

/** A workspace for commands: a script of a hidden folder cannot be run, because it is not there. */
export function withoutFolders(workspace: Workspace, hidden: readonly HiddenFolder[]): Workspace {
  if (hidden.length === 0) return workspace;
  return {
    ...workspace,
    walk: async (folder) =>
      (await workspace.walk(folder)).filter(({ path }) => !hidden.some((one) => path.startsWith(one.folder))),
  };
}
