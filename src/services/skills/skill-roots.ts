import type { Agent } from "../../config/agents.ts";
import { BUNDLED_SKILLS } from "../../skills/bundled-skills.ts";
import { bundledRoot, extraRoot, managedRoot, workspaceRoots } from "../../skills/roots.ts";
import type { SkillRoot } from "../../skills/skill.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import type { Services } from "../services.ts";

const BUNDLED = bundledRoot(BUNDLED_SKILLS);

/** Wherever an agent's skills may be. Nothing is asked by making them. */
export function skillRoots(agent: Agent, services: Services): SkillRoot[] {
  const { config, installs, plugins } = services;
  return [
    ...workspaceRoots(services.workspaceOf(agent)),
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
export async function rootsToScan(
  agent: Agent,
  services: Services,
  listing: readonly WorkspaceEntry[] | undefined,
): Promise<SkillRoot[]> {
  const roots = skillRoots(agent, services);
  const entries =
    listing ??
    (await services
      .workspaceOf(agent)
      .list("")
      .catch(() => undefined));
  if (entries === undefined) return roots;
  const folders = new Set(entries.flatMap(({ kind, path }) => (kind === "folder" ? [path] : [])));
  const [skills, agents] = [folders.has("skills"), folders.has(".agents")];
  return roots.filter(({ source }) => (source === "workspace" ? skills : source === "agents" ? agents : true));
}

/** Everything that says where is looked and how far, as text: where it changes, the next turn looks anew. */
export function skillRootsKey({ id, workspace }: Agent, { config, deployment, plugins }: Services): string {
  const { load, limits } = config.skills;
  const addresses = plugins.skills.map(({ address }) => address);
  return JSON.stringify([id, workspace, load.extraDirs, limits, deployment, addresses]);
}
