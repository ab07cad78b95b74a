import { z } from "zod";
import { agentIds, configuredWorkspaces } from "./agents.ts";
import { fieldPath } from "./field-path.ts";
import { isReservedName } from "./reserved-names.ts";
import { type CoreConfig, coreFields } from "./schema.ts";
import { secretRef, variableName } from "./secret-ref.ts";
import { prefixFault, workspacePrefix } from "./workspace-prefix.ts";

/** The whole schema; `models`, `channels` and `hooks` come from the folders of models, channels and plugins. */
export function configSchema<Models extends z.ZodType, Channels extends z.ZodType, Hooks extends z.ZodType>(
  models: Models,
  channels: Channels,
  hooks: Hooks,
) {
  return z
    .strictObject({ ...coreFields, models, channels, hooks })
    .superRefine(refuseUnknownAgents)
    .superRefine(refuseUnknownServers)
    .superRefine(refuseBadWorkspaces)
    .superRefine(refuseOwnSecrets)
    .describe("The configuration.");
}

/** Most agents that a fault names. */
const MAX_NAMED = 20;

/** Refuses budgets and bindings of agents that are not configured: they would have no effect. */
function refuseUnknownAgents(config: CoreConfig, context: z.RefinementCtx): void {
  const known = new Set(agentIds(config));
  const some = [...known].slice(0, MAX_NAMED).join(", ");
  const there = known.size > MAX_NAMED ? `${some} and ${known.size - MAX_NAMED} more` : some;
  const named = [
    ...Object.keys(config.budgets.agents).map((id) => ({ id, path: ["budgets", "agents", id] })),
    ...config.bindings.map(({ agentId }, at) => ({ id: agentId, path: ["bindings", at, "agentId"] })),
  ];
  for (const { id, path } of named) {
    if (known.has(id)) continue;
    const message = `no agent '${id}' is configured; there is: ${there}`;
    context.addIssue({ code: "custom", path, message });
  }
}

/** Refuses MCP servers of agents that are not configured. */
function refuseUnknownServers({ agents, mcp }: CoreConfig, context: z.RefinementCtx): void {
  const there = Object.keys(mcp.servers);
  for (const [at, entry] of agents.list.entries()) {
    for (const [position, name] of (entry.mcp?.servers ?? []).entries()) {
      if (there.includes(name)) continue;
      const message = `no MCP server '${name}' is configured; there is: ${there.join(", ") || "none"}`;
      context.addIssue({ code: "custom", path: ["agents", "list", at, "mcp", "servers", position], message });
    }
  }
}

/** Refuses invalid workspaces, and one inside another: its files would belong to two agents by accident. */
function refuseBadWorkspaces(config: CoreConfig, context: z.RefinementCtx): void {
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

/** The parent folders of a prefix, the outermost first. */
function foldersAbove(prefix: string): string[] {
  const names = prefix.split("/").slice(0, -2);
  return names.map((_, at) => `${names.slice(0, at + 1).join("/")}/`);
}

/** The path of the field that sets an agent's workspace. */
function fieldOf({ agents }: CoreConfig, agentId: string): (string | number)[] {
  const at = agents.list.findIndex(({ id, workspace }) => id === agentId && workspace !== undefined);
  return at === -1 ? ["agents", "defaults", "workspace"] : ["agents", "list", at, "workspace"];
}

type Path = readonly (string | number)[];

/**
 * Refuses skill entries that would expose the Worker's own variables, the keys of models, or a secret that another part
 * of the configuration names: the author of a skill's commands can send its secrets anywhere.
 */
function refuseOwnSecrets(config: CoreConfig, context: z.RefinementCtx): void {
  const { skills, ...rest } = config;
  const named = new Map(
    referencesIn({ ...rest, skills: { ...skills, entries: {} } }, []).map(({ id, path }) => [id, path]),
  );
  for (const { id, path } of referencesIn(skills.entries, ["skills", "entries"])) {
    const elsewhere = named.get(id);
    if (!isReservedName(id) && elsewhere === undefined) continue;
    const use = elsewhere === undefined ? "the Worker's own" : `used by ${fieldPath(elsewhere)}`;
    const other = variableName(path);
    const message = `${id} is ${use}, and no skill is given it; store a secret for the skill under another name, \`wrangler secret put ${other}\`, and use that name`;
    context.addIssue({ code: "custom", path: [...path], message });
  }
}

function referencesIn(value: unknown, path: Path): { id: string; path: Path }[] {
  if (typeof value !== "object" || value === null) return [];
  const reference = secretRef.safeParse(value);
  if (reference.success) return [{ id: reference.data.id, path }];
  const parts: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return parts.flatMap(([name, inner]) => referencesIn(inner, [...path, name]));
}
