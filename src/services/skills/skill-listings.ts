import type { Agent } from "../../config/agents.ts";
import { workspacePrefix } from "../../config/workspace-prefix.ts";
import type { SkillRoot, SkillSource } from "../../skills/skill.ts";
import { listWorkspaceRoot, type Services } from "../services.ts";
import { rootsToScan, skillRoots } from "./skill-roots.ts";

/** The sources whose files are in R2. */
const IN_R2: ReadonlySet<SkillSource> = new Set(["workspace", "agents", "managed", "extra"]);

/** When an agent's skills were last looked at by any session of this isolate, by the prefix of its workspace. */
const looks = new WeakMap<Services["listings"], Map<string, number>>();

/**
 * An agent's skill roots with the listings of this isolate.
 * @param age which listings serve: those of the last minute, or any
 */
export async function listedRoots(agent: Agent, services: Services, age: "fresh" | "known"): Promise<SkillRoot[]> {
  const { skills } = services.listings;
  const roots = await rootsToScan(agent, services, await rootEntries(agent, services));
  return roots.map((root) => {
    if (!IN_R2.has(root.source)) return root;
    const key = listingKey(root, agent, services);
    return { ...root, list: async () => skills[age](key) ?? skills.refresh(key, () => root.list()) };
  });
}

/**
 * Lists the roots that are in no agent's workspace, beside the listing of that. Never rejects: a root that does not
 * answer is asked again by the scan.
 */
export async function listSharedRoots(agent: Agent, services: Services): Promise<void> {
  const { skills } = services.listings;
  const shared = skillRoots(agent, services).filter(({ source }) => source === "managed" || source === "extra");
  const lists = shared.map(async (root) => {
    const key = listingKey(root, agent, services);
    if (skills.fresh(key) === undefined) await skills.refresh(key, () => root.list());
  });
  await Promise.allSettled(lists);
}

/**
 * Looks whether an agent's skills have changed in R2, with one listing: the one that was made longest ago. So all roots
 * are looked at in turn. Listings that this isolate does not have are all made.
 * @param since a look of any session after this instant serves, in milliseconds since the epoch
 * @returns the listings, the same objects for the same files
 */
export async function lookForChanges(
  agent: Agent,
  services: Services,
  since: number,
  now: number,
): Promise<readonly unknown[]> {
  const { workspaces, skills } = services.listings;
  const prefix = workspacePrefix(agent.id, agent.workspace);
  const roots = (await rootsToScan(agent, services, await rootEntries(agent, services))).filter(({ source }) =>
    IN_R2.has(source),
  );
  const listings = [
    {
      at: workspaces.listedAt(prefix),
      refresh: () => workspaces.refresh(prefix, () => services.workspaceOf(agent).list("")),
    },
    ...roots.map((root) => {
      const key = listingKey(root, agent, services);
      return { at: skills.listedAt(key), refresh: () => skills.refresh(key, () => root.list()) };
    }),
  ];
  const missing = listings.filter(({ at }) => at === Number.NEGATIVE_INFINITY);
  const looked = looks.get(services.listings) ?? new Map<string, number>();
  looks.set(services.listings, looked);
  const isLookedAt = (looked.get(prefix) ?? 0) >= since;
  const [oldest] = listings.toSorted((a, b) => a.at - b.at);
  const due = missing.length > 0 ? missing : isLookedAt || oldest === undefined ? [] : [oldest];
  if (due.length > 0) looked.set(prefix, now);
  await Promise.all(due.map(({ refresh }) => refresh()));
  return [workspaces.known(prefix), ...roots.map((root) => skills.known(listingKey(root, agent, services)))];
}

/** The root of the workspace, for the folders that it has; undefined if it does not answer. */
async function rootEntries(agent: Agent, services: Services) {
  const known = services.listings.workspaces.known(workspacePrefix(agent.id, agent.workspace));
  return known ?? (await listWorkspaceRoot(services, agent).catch(() => undefined));
}

/** Skills that another isolate installed change the counter, and so the key. */
function listingKey({ source, address }: SkillRoot, { id, workspace }: Agent, { skillChanges }: Services): string {
  const isOwn = source === "workspace" || source === "agents";
  return `${isOwn ? workspacePrefix(id, workspace) : ""}${address} ${skillChanges()}`;
}
