import type { z } from "zod";
import { pathFault } from "../lib/relative-path.ts";
import { agentIds, defaultAgentId } from "./agents.ts";
import type { CoreConfig } from "./schema.ts";

/** Longest prefix: the rest of the 1,024 bytes that R2 gives a key is for the paths below it. */
const MAX_PREFIX_BYTES = 256;

/** The folders at the top of the bucket that have a meaning of their own. */
const RESERVED = ["agents", "versions", "skills", "sessions"];

/**
 * A place on a disk: a home folder, an absolute path of Unix or Windows, a variable, or nothing. An imported
 * configuration has such paths; the disk is not here, so they all mean the agent's own prefix.
 */
const ON_A_DISK = /^(?:~|\/|\\|[A-Za-z]:|\$|%|\.?\/?$)/;

/** Whether a configured folder is a place on a disk. */
export function isOnDisk(folder: string): boolean {
  return ON_A_DISK.test(folder.trim());
}

/**
 * The R2 prefix of an agent's workspace, ending in `/`: the relative folder that the configuration names, or
 * `agents/<agentId>/workspace/`. `configured` is one in which `prefixFault` finds nothing.
 */
export function workspacePrefix(agentId: string, configured: string | undefined): string {
  return folderNamed(configured) ?? ownPrefix(agentId);
}

/** What is wrong with a configured workspace, as a sentence; undefined where nothing is. */
export function prefixFault(agentId: string, configured: string | undefined): string | undefined {
  const prefix = folderNamed(configured);
  if (prefix === undefined || prefix === ownPrefix(agentId)) return undefined;
  const folder = prefix.slice(0, -1);
  const fault = pathFault(folder, MAX_PREFIX_BYTES);
  if (fault !== undefined) return `'${configured}' is no folder for a workspace: it ${fault}`;
  const [top] = folder.split("/");
  const reserved = RESERVED.find((name) => name === top);
  return reserved === undefined
    ? undefined
    : `'${configured}' is no folder for a workspace: '${reserved}/' is kept for something else; take another name`;
}

/** The agents by the prefixes of their workspaces, the default one first. Several may share one: the same files are theirs. */
export function agentsByPrefix(config: CoreConfig): ReadonlyMap<string, readonly string[]> {
  return workspacesOf(config).agents;
}

/** The other agents that have the same workspace as this one. */
export function sharingAgents(config: CoreConfig, agentId: string): string[] {
  const { prefixes, agents } = workspacesOf(config);
  const ids = agents.get(prefixes.get(agentId) ?? "") ?? [];
  return ids.filter((id) => id !== agentId);
}

/** Refuses workspaces that cannot be, and one inside another: its files would be two agents' by accident. */
export function refuseBadWorkspaces(config: CoreConfig, context: z.RefinementCtx): void {
  const refuse = (agentId: string, message: string) =>
    context.addIssue({ code: "custom", path: fieldOf(config, agentId), message });
  const places: { id: string; prefix: string }[] = [];
  for (const [id, workspace] of configuredWorkspaces(config)) {
    const fault = prefixFault(id, workspace);
    if (fault === undefined) places.push({ id, prefix: workspacePrefix(id, workspace) });
    else refuse(id, fault);
  }
  const owners = new Map(places.map(({ id, prefix }) => [prefix, id]));
  for (const { id, prefix } of places) {
    const outer = foldersAbove(prefix).find((folder) => owners.has(folder));
    if (outer === undefined) continue;
    const where = `'${prefix}' of agent '${id}' is inside '${outer}' of agent '${owners.get(outer)}'`;
    refuse(id, `${where}; give each a folder of its own, or both the same one`);
  }
}

interface Workspaces {
  prefixes: ReadonlyMap<string, string>;
  agents: ReadonlyMap<string, readonly string[]>;
}

/** By the parsed `agents`, like the index of agents. */
const known = new WeakMap<CoreConfig["agents"], Workspaces>();

function workspacesOf(config: CoreConfig): Workspaces {
  const workspaces = known.get(config.agents) ?? makeWorkspaces(config);
  known.set(config.agents, workspaces);
  return workspaces;
}

function makeWorkspaces(config: CoreConfig): Workspaces {
  const prefixes = new Map(configuredWorkspaces(config).map(([id, folder]) => [id, workspacePrefix(id, folder)]));
  const agents = Map.groupBy(prefixes.keys(), (id) => prefixes.get(id) ?? "");
  return { prefixes, agents };
}

/** The folders that a prefix is in, the outermost first. */
function foldersAbove(prefix: string): string[] {
  const names = prefix.split("/").slice(0, -2);
  return names.map((_, at) => `${names.slice(0, at + 1).join("/")}/`);
}

/** What is configured for each agent. */
function configuredWorkspaces(config: CoreConfig): [id: string, workspace: string | undefined][] {
  const { defaults, list } = config.agents;
  const own = new Map(list.map(({ id, workspace }) => [id, workspace]));
  const standard = defaultAgentId(config);
  return agentIds(config).map((id) => [id, own.get(id) ?? (id === standard ? defaults.workspace : undefined)]);
}

/** The field that an agent's workspace comes from. */
function fieldOf({ agents }: CoreConfig, agentId: string): (string | number)[] {
  const at = agents.list.findIndex(({ id, workspace }) => id === agentId && workspace !== undefined);
  return at === -1 ? ["agents", "defaults", "workspace"] : ["agents", "list", at, "workspace"];
}

function ownPrefix(agentId: string): string {
  return `agents/${agentId}/workspace/`;
}

/** The folder that was meant, ending in `/`; undefined where the agent's own is. */
function folderNamed(configured: string | undefined): string | undefined {
  const named = configured?.trim().replace(/^(?:\.\/+)+/, "");
  if (named === undefined || isOnDisk(named)) return undefined;
  return `${named.replace(/\/$/, "")}/`;
}
