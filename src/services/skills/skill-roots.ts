import type { Agent } from "../../config/agents.ts";
import { BUNDLED_SKILLS } from "../../skills/bundled-skills.ts";
import { bundledRoot, extraRoot, managedRoot, workspaceRoots } from "../../skills/roots.ts";
import type { SkillRoot } from "../../skills/skill.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import type { Wiring } from "../services.ts";

const BUNDLED = bundledRoot(BUNDLED_SKILLS);

/** Wherever an agent's skills may be. Nothing is asked by making them. */
export function skillRoots(agent: Agent, wiring: Wiring): SkillRoot[] {
  const { config, installs, plugins } = wiring;
  return [
    ...workspaceRoots(wiring.workspaceOf(agent)),
    managedRoot(installs.bucket),
    BUNDLED,
    ...[...new Set(config.skills.load.extraDirs)].map((dir) => extraRoot(installs.bucket, dir)),
    ...plugins.skills,
  ];
}

/**
 * Those of them that can have any: a folder of the workspace that is not in its root is not asked for.
 * @param listing the root of the workspace, where it was listed already
 * @returns all of them where the workspace does not answer, so that this is found out once more
 */
export async function rootsToLookAt(
  agent: Agent,
  wiring: Wiring,
  listing: readonly WorkspaceEntry[] | undefined,
): Promise<SkillRoot[]> {
  const roots = skillRoots(agent, wiring);
  const entries =
    listing ??
    (await wiring
      .workspaceOf(agent)
      .list("")
      .catch(() => undefined));
  if (entries === undefined) return roots;
  const folders = new Set(entries.flatMap(({ kind, path }) => (kind === "folder" ? [path] : [])));
  const [skills, agents] = [folders.has("skills"), folders.has(".agents")];
  return roots.filter(({ source }) => (source === "workspace" ? skills : source === "agents" ? agents : true));
}

/** Everything that says where is looked and how far, as text: where it changes, the next turn looks anew. */
export function placesOf({ id, workspace }: Agent, { config, deployment, plugins }: Wiring): string {
  const { load, limits } = config.skills;
  const addresses = plugins.skills.map(({ address }) => address);
  return JSON.stringify([id, workspace, load.extraDirs, limits, deployment, addresses]);
}
