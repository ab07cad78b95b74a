import type { z } from "zod";
import { IsopodError } from "../lib/errors.ts";
import { heartbeat } from "./automation-schema.ts";
import type { contextLimits } from "./model-schema.ts";
import { withOverrides } from "./overrides.ts";
import type { CoreConfig } from "./schema.ts";
import { type ExecRules, execRules } from "./tools-schema.ts";
import { workspacePrefix } from "./workspace-prefix.ts";

/** One agent with the defaults applied. */
export interface Agent {
  id: string;
  name: string | undefined;
  /** `provider/model`, or undefined where the deployment's own default applies. */
  model: string | undefined;
  /** `provider/model` of those who are asked, in this order, where that one cannot answer. */
  fallbacks: readonly string[];
  /** Where its workspace is to be, as it is configured; undefined means its own place. */
  workspace: string | undefined;
  /** What goes along with requests to its models. */
  params: CoreConfig["agents"]["defaults"]["params"];
  /** How much it reads at once, in characters and lines. */
  contextLimits: CoreConfig["agents"]["defaults"]["contextLimits"];
  /** What is said of its tools, for all agents and for itself: a tool is on where all of it leaves it on. */
  toolPolicies: readonly ToolChoice[];
  /** How it runs commands; undefined where it runs none. */
  exec: ExecRules | undefined;
  /** What its sub-agents may be. */
  subagents: CoreConfig["agents"]["defaults"]["subagents"];
  /** What its memory consists of, and how it is searched. */
  memorySearch: CoreConfig["agents"]["defaults"]["memorySearch"];
  /** The skills that it may use, by name; all where it is undefined, none where it is empty. */
  skills: readonly string[] | undefined;
  /** How much of its prompt skills may be. */
  skillsLimits: Pick<CoreConfig["skills"]["limits"], "maxSkillsInPrompt" | "maxSkillsPromptChars">;
  defaults: CoreConfig["agents"]["defaults"];
}

type Agents = Pick<CoreConfig, "agents">;

/** What one agent's entry in `agents.list` says. */
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

/** What `agents.list` says of an agent; undefined where it has no entry. */
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
    defaults,
  };
}

/** The model that a word names, as `provider/model`: what it is an alias of, else the word itself. */
export function resolveAlias(config: CoreConfig, word: string): string {
  return indexOf(config).models.get(word.toLowerCase()) ?? word;
}

/** The short names that models have. */
export function modelAliases(config: CoreConfig): { alias: string; model: string }[] {
  const models = Object.entries(config.agents.defaults.models);
  return models.flatMap(([model, { alias }]) => (alias === undefined ? [] : [{ alias, model }]));
}

type ToolChoice = Pick<CoreConfig["tools"], "profile" | "allow" | "deny">;

/** An agent's profile takes the place of the shared one; its lists only take away. */
function toolPoliciesOf(shared: ToolChoice, own: ToolChoice | undefined): ToolChoice[] {
  const profile = own?.profile ?? shared.profile ?? "coding";
  return [{ ...shared, profile }, ...(own === undefined ? [] : [{ ...own, profile }])];
}

type ModelChoice = CoreConfig["agents"]["defaults"]["model"];

/** Whom an agent asks. A name alone takes the place of the default one; with fallbacks of its own, of those as well. */
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

/** How an agent beats, with the defaults applied. */
export type Heartbeat = z.output<typeof heartbeat>;

/** What an agent's own block stands over where there is none for all. */
const UNSAID = heartbeat.parse({});

/**
 * How an agent beats; undefined where it does not. Where any agent has a block of its own only those that have one
 * beat, each with what it says over what all share; else the default agent does, if there is a block for all. Without
 * any block nothing beats, nor with `every: "0m"`.
 */
export function heartbeatOf(config: Pick<CoreConfig, "agents">, agentId: string): Heartbeat | undefined {
  const { defaults } = config.agents;
  const own = agentEntryOf(config, agentId)?.heartbeat;
  const shared = defaults.heartbeat ?? UNSAID;
  if (hasOwnHeartbeats(config)) return own && beating(heartbeat.parse(withOverrides<Heartbeat>(shared, own)));
  return defaults.heartbeat && agentId === defaultAgentId(config) ? beating(shared) : undefined;
}

function beating(block: Heartbeat): Heartbeat | undefined {
  return /^0+[smhd]$/.test(block.every) ? undefined : block;
}

/** How much is read at once while an agent works. */
export type ContextLimits = z.output<typeof contextLimits>;

/** The limits of one agent: its own over those that all share. */
export function contextLimitsOf(config: Pick<CoreConfig, "agents">, id: string): ContextLimits {
  return withOverrides<ContextLimits>(config.agents.defaults.contextLimits, agentEntryOf(config, id)?.contextLimits);
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

/** What is configured for each agent. */
export function configuredWorkspaces(config: CoreConfig): [id: string, workspace: string | undefined][] {
  const { defaults, list } = config.agents;
  const own = new Map(list.map(({ id, workspace }) => [id, workspace]));
  const standard = defaultAgentId(config);
  return agentIds(config).map((id) => [id, own.get(id) ?? (id === standard ? defaults.workspace : undefined)]);
}
