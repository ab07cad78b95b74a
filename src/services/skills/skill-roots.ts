import type { Agent } from "../../config/agents.ts";
import { extraRoot, lateBundledRoot, managedRoot, workspaceRoots } from "../../skills/roots.ts";
import type { SkillRoot } from "../../skills/skill.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import type { Services } from "../services.ts";

const BUNDLED = lateBundledRoot(async () => (await import("../../skills/bundled-skills.ts")).BUNDLED_SKILLS);

/** All skill roots of an agent. Creating them accesses no store. */
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
 * The roots that may have skills: workspace folders that do not exist are skipped.
 * @param listing the root of the workspace, if it was listed already
 * @returns all roots if the workspace does not answer, so that the scan reports it
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

/** A key of everything that determines the scanned roots and limits; a change of it requires a new scan. */
export function skillRootsKey({ id, workspace }: Agent, { config, deployment, plugins }: Services): string {
  const { load, limits } = config.skills;
  const addresses = plugins.skills.map(({ address }) => address);
  return JSON.stringify([id, workspace, load.extraDirs, limits, deployment, addresses]);
}
