import type { z } from "zod";
import { parseDuration } from "../lib/duration.ts";
import { IsopodError } from "../lib/errors.ts";
import { lazy } from "../lib/lazy.ts";
import { heartbeat } from "./automation-schema.ts";
import { type McpServer, mcpServersIn } from "./mcp-schema.ts";
import type { humanDelay } from "./messages-schema.ts";
import type { contextLimits } from "./model-schema.ts";
import { withOverrides } from "./overrides.ts";
import type { CoreConfig } from "./schema.ts";
import { type ExecRules, execRules } from "./tools-schema.ts";
import { workspacePrefix } from "./workspace-prefix.ts";

/** One agent with the defaults applied. */
export interface Agent {
  id: string;
  name: string | undefined;
  /** `provider/model`, or undefined for the default of the deployment. */
  model: string | undefined;
  /** `provider/model` of the fallbacks, in order. */
  fallbacks: readonly string[];
  /** The configured folder of its workspace; undefined means its own prefix. */
  workspace: string | undefined;
  /** Parameters of requests to its models. */
  params: CoreConfig["agents"]["defaults"]["params"];
  /** How much its tools return at once, in characters and lines. */
  contextLimits: CoreConfig["agents"]["defaults"]["contextLimits"];
  /** The shared tool policy and its own: a tool is on if both leave it on. */
  toolPolicies: readonly ToolChoice[];
  /** Its rules for commands; undefined if it runs none. */
  exec: ExecRules | undefined;
  /** Limits and defaults of its sub-agents. */
  subagents: CoreConfig["agents"]["defaults"]["subagents"];
  /** The sources of its memory, and how it is searched. */
  memorySearch: CoreConfig["agents"]["defaults"]["memorySearch"];
  /** The skills that it may use, by name; all where it is undefined, none where it is empty. */
  skills: readonly string[] | undefined;
  /** How much of its prompt skills may be. */
  skillsLimits: Pick<CoreConfig["skills"]["limits"], "maxSkillsInPrompt" | "maxSkillsPromptChars">;
  /** The MCP servers that it has, without those that are switched off. */
  mcpServers: readonly McpServer[];
  /** The emoji with which it acknowledges messages, if it has one of its own. */
  emoji: string | undefined;
  /** The pause between two blocks of a reply, in milliseconds; undefined for none. */
  blockPause: { minMs: number; maxMs: number } | undefined;
  defaults: CoreConfig["agents"]["defaults"];
}

type Agents = Pick<CoreConfig, "agents">;

/** One entry of `agents.list`. */
export type AgentEntry = CoreConfig["agents"]["list"][number];

/** What looking agents up needs, made from the whole list once. */
interface AgentIndex {
  defaultId: string;
  /** The default agent first. */
  ids: readonly string[];
  entries: ReadonlyMap<string, AgentEntry>;
  /** Whether any entry has a heartbeat of its own. */
  hasHeartbeats: boolean;
  /** Models by their alias in lower case. */
  models: ReadonlyMap<string, string>;
}

/** By the parsed `agents`, which are one object a configuration revision and never change. */
const indexes = new WeakMap<CoreConfig["agents"], AgentIndex>();

function indexOf({ agents }: Agents): AgentIndex {
  const index = indexes.get(agents) ?? makeIndex(agents);
  indexes.set(agents, index);
  return index;
}

function makeIndex({ defaults, list }: CoreConfig["agents"]): AgentIndex {
  const entries = new Map([...list].reverse().map((entry) => [entry.id, entry]));
  const defaultId = (list.find((entry) => entry.default) ?? list[0])?.id ?? "main";
  const models = Object.entries(defaults.models).reverse();
  return {
    defaultId,
    ids: [...new Set([defaultId, ...list.map(({ id }) => id)])],
    entries,
    hasHeartbeats: list.some(({ heartbeat }) => heartbeat !== undefined),
    models: new Map(models.flatMap(([ref, { alias }]) => (alias === undefined ? [] : [[alias.toLowerCase(), ref]]))),
  };
}

/** The ids of all agents, the default one first. */
export function agentIds(config: Agents): readonly string[] {
  return indexOf(config).ids;
}

/** The agent that answers where none is named: the entry marked so, else the first, else `main`. */
export function defaultAgentId(config: Agents): string {
  return indexOf(config).defaultId;
}

/** The entry of an agent in `agents.list`; undefined if it has none. */
export function agentEntryOf(config: Agents, id: string): AgentEntry | undefined {
  return indexOf(config).entries.get(id);
}

/** Whether any agent has a heartbeat of its own. */
export function hasOwnHeartbeats(config: Agents): boolean {
  return indexOf(config).hasHeartbeats;
}

/**
 * An agent by id.
 * @throws IsopodError `not_found` where the configuration has no such agent
 */
export function agentOf(config: CoreConfig, id: string): Agent {
  const entry = agentEntryOf(config, id);
  const isDefault = id === defaultAgentId(config);
  if (entry === undefined && !isDefault) {
    throw new IsopodError(
      "not_found",
      `agent '${id}' is not configured`,
      `Configured: ${agentIds(config).join(", ")}.`,
    );
  }
  const defaults = config.agents.defaults;
  const { allowAgents, model, delegationMode } = entry?.subagents ?? {};
  return {
    id,
    name: entry?.name ?? entry?.identity?.name,
    ...modelsOf(config, entry?.model),
    workspace: entry?.workspace ?? (isDefault ? defaults.workspace : undefined),
    params: withOverrides(defaults.params, entry?.params),
    contextLimits: withOverrides(defaults.contextLimits, entry?.contextLimits),
    toolPolicies: toolPoliciesOf(config.tools, entry?.tools),
    exec: execRules(withOverrides(config.tools.exec, entry?.tools?.exec)),
    subagents: {
      ...defaults.subagents,
      ...(allowAgents !== undefined && { allowAgents }),
      ...(model !== undefined && { model }),
      ...(delegationMode !== undefined && { delegationMode }),
    },
    memorySearch: withOverrides(defaults.memorySearch, entry?.memorySearch),
    skills: entry?.skills ?? defaults.skills,
    skillsLimits: {
      maxSkillsInPrompt: config.skills.limits.maxSkillsInPrompt,
      maxSkillsPromptChars: entry?.skillsLimits?.maxSkillsPromptChars ?? config.skills.limits.maxSkillsPromptChars,
    },
    mcpServers: mcpServersIn(config.mcp).filter(
      (server) => server.config.enabled && (entry?.mcp?.servers?.includes(server.name) ?? true),
    ),
    emoji: entry?.identity?.emoji,
    blockPause: pauseRange(withOverrides(defaults.humanDelay, entry?.humanDelay)),
    defaults,
  };
}

/** What people wait between two blocks of a reply that comes as if it was typed. */
const NATURAL_PAUSE = { minMs: 800, maxMs: 2500 };

function pauseRange({ mode, minMs, maxMs }: z.output<typeof humanDelay>): Agent["blockPause"] {
  if (mode === "off") return undefined;
  return mode === "natural" ? NATURAL_PAUSE : { minMs, maxMs: Math.max(minMs, maxMs) };
}

/** The `provider/model` behind an alias; any other word is returned as it is. */
export function resolveAlias(config: CoreConfig, word: string): string {
  return indexOf(config).models.get(word.toLowerCase()) ?? word;
}

/** The models that look at pictures for one that cannot, in order. */
export function imageModels(config: CoreConfig): string[] {
  const { imageModel } = config.agents.defaults;
  const { fallbacks = [] } = typeof imageModel === "object" ? imageModel : {};
  return [nameOf(imageModel), ...fallbacks].flatMap((name) => (name === undefined ? [] : [resolveAlias(config, name)]));
}

/** The aliases of models. */
export function modelAliases(config: CoreConfig): { alias: string; model: string }[] {
  const models = Object.entries(config.agents.defaults.models);
  return models.flatMap(([model, { alias }]) => (alias === undefined ? [] : [{ alias, model }]));
}

type ToolChoice = Pick<CoreConfig["tools"], "profile" | "allow" | "deny">;

/** An agent's profile replaces the shared one; its lists only take tools away. */
function toolPoliciesOf(shared: ToolChoice, own: ToolChoice | undefined): ToolChoice[] {
  const profile = own?.profile ?? shared.profile ?? "coding";
  return [{ ...shared, profile }, ...(own === undefined ? [] : [{ ...own, profile }])];
}

type ModelChoice = CoreConfig["agents"]["defaults"]["model"];

/** The models of an agent. A name alone replaces the primary model; an object replaces the fallbacks as well. */
function modelsOf(config: CoreConfig, own: ModelChoice): Pick<Agent, "model" | "fallbacks"> {
  const shared = config.agents.defaults.model;
  const primary = nameOf(own) ?? nameOf(shared);
  const { fallbacks = [] } = [own, shared].find((choice) => typeof choice === "object") ?? {};
  return {
    model: primary && resolveAlias(config, primary),
    fallbacks: fallbacks.map((name) => resolveAlias(config, name)),
  };
}

function nameOf(choice: ModelChoice): string | undefined {
  return typeof choice === "string" ? choice : choice?.primary;
}

/** The heartbeat settings of an agent, with defaults applied. */
export type Heartbeat = z.output<typeof heartbeat>;

/** The shared block where none is configured. */
const defaultHeartbeat = lazy(() => heartbeat.parse({}));

/**
 * The heartbeat of an agent; undefined if it has none. Once an agent has a block of its own, only agents with one have
 * heartbeats, each with its overrides of the shared block; else the shared block is every agent's. `every: "0m"` is none.
 */
export function heartbeatOf(config: Pick<CoreConfig, "agents">, agentId: string): Heartbeat | undefined {
  const { defaults } = config.agents;
  const own = agentEntryOf(config, agentId)?.heartbeat;
  const shared = defaults.heartbeat ?? defaultHeartbeat();
  if (hasOwnHeartbeats(config)) return own && enabledHeartbeat(heartbeat.parse(withOverrides<Heartbeat>(shared, own)));
  return defaults.heartbeat && enabledHeartbeat(shared);
}

function enabledHeartbeat(block: Heartbeat): Heartbeat | undefined {
  return parseDuration(block.every) === 0 ? undefined : block;
}

/** How much tools return at once. */
export type ContextLimits = z.output<typeof contextLimits>;

/** The limits of one agent: its overrides over the shared ones. */
export function contextLimitsOf(config: Pick<CoreConfig, "agents">, id: string): ContextLimits {
  return withOverrides<ContextLimits>(config.agents.defaults.contextLimits, agentEntryOf(config, id)?.contextLimits);
}

/** The agents by the prefix of their workspace, the default agent first. Agents with one prefix share its files. */
export function agentsByPrefix(config: CoreConfig): ReadonlyMap<string, readonly string[]> {
  return workspacesOf(config).agents;
}

/** The other agents with the same workspace. */
export function sharingAgents(config: CoreConfig, agentId: string): string[] {
  const { prefixes, agents } = workspacesOf(config);
  const ids = agents.get(prefixes.get(agentId) ?? "") ?? [];
  return ids.filter((id) => id !== agentId);
}

interface Workspaces {
  prefixes: ReadonlyMap<string, string>;
  agents: ReadonlyMap<string, readonly string[]>;
}

/** By the parsed `agents`, like the index of agents. */
const workspacesByConfig = new WeakMap<CoreConfig["agents"], Workspaces>();

function workspacesOf(config: CoreConfig): Workspaces {
  const workspaces = workspacesByConfig.get(config.agents) ?? makeWorkspaces(config);
  workspacesByConfig.set(config.agents, workspaces);
  return workspaces;
}

function makeWorkspaces(config: CoreConfig): Workspaces {
  const prefixes = new Map(configuredWorkspaces(config).map(([id, folder]) => [id, workspacePrefix(id, folder)]));
  const agents = Map.groupBy(prefixes.keys(), (id) => prefixes.get(id) ?? "");
  return { prefixes, agents };
}

/** The configured workspace of each agent. */
export function configuredWorkspaces(config: CoreConfig): [id: string, workspace: string | undefined][] {
  const { defaults, list } = config.agents;
  const own = new Map(list.map(({ id, workspace }) => [id, workspace]));
  const standard = defaultAgentId(config);
  return agentIds(config).map((id) => [id, own.get(id) ?? (id === standard ? defaults.workspace : undefined)]);
}
