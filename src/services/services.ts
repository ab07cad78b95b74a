import type { AnyChannel, ChannelContext } from "../channels/channel.ts";
import { findChannel } from "../channels/index.ts";
import { type Agent, agentOf, sharingAgents } from "../config/agents.ts";
import { jsonSchemaOf, type SchemaNode } from "../config/schema-node.ts";
import { ConfigStore, type RevisionLine } from "../config/store.ts";
import { IsopodError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import type { JsonObject } from "../lib/json.ts";
import { log } from "../lib/log.ts";
import { sleepAbout } from "../lib/sleep.ts";
import { VERSION } from "../lib/version.ts";
import type { AgentMemory, Visibility } from "../memory/agent-memory.ts";
import { createCandidates, type FindCandidates } from "../models/candidates.ts";
import { createModelResolver, defaultModelRef } from "../models/index.ts";
import type { Model, ModelResolver } from "../models/model.ts";
import { type Assembly, assemble } from "../plugins/assembly.ts";
import { createHooks, type Hooks } from "../plugins/hook-runner.ts";
import { PLUGINS } from "../plugins/index.ts";
import type { AnyPlugin } from "../plugins/plugin.ts";
import { openEgress } from "../security/open-egress.ts";
import type { SafeFetch } from "../security/safe-fetch.ts";
import { type InstallStore, MANAGED_ID } from "../skills/install/install-place.ts";
import { createR2Workspace } from "../workspace/r2.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type ConfigChange, type ConfigChanged, changeConfiguration, newestDocument } from "./change-config.ts";
import { type Config, wholeSchema } from "./config-schema.ts";
import { type CooldownCache, CooldownStore } from "./cooldowns.ts";
import { configurationInForce, knownConfiguration } from "./current-config.ts";
import { type MemoryCaches, newMemoryCaches } from "./memory/memory-deps.ts";
import { noteMemoryChange } from "./memory/note-memory-change.ts";
import { openMemory } from "./memory/open-memory.ts";
import { requestIndexingAtStart } from "./memory/request-indexing.ts";
import { ownersForPrompt } from "./owner-ids.ts";

/** No plugins besides those that Isopod brings. */
const NO_MORE: readonly AnyPlugin[] = [];

export type { Config } from "./config-schema.ts";

/** The Worker's bindings, opened the way its configuration says. Cheap to make, and holds no state of its own. */
export interface Services {
  readonly config: Config;
  /** The revision that the configuration is; 0 where none is stored. */
  readonly revision: number;
  /** The deployment that runs here: its id on Cloudflare, else Isopod's version. */
  readonly deployment: string;
  /** The agents for which this isolate has not to ask any more whether the deployment has come up. */
  readonly started: Set<string>;
  /** `workerd` on a machine of one's own. */
  readonly host: "cloudflare-workers" | "workerd";
  /** The one way in which agents and installs reach the outside. */
  readonly egress: SafeFetch;
  /** `provider/model` that an agent answers with. */
  modelRefOf(agent: Agent): string;
  /** The model behind a reference. @throws IsopodError `not_configured` */
  model(ref: string): Model;
  /** Who may answer. @throws IsopodError `not_configured` where nobody may */
  readonly candidates: FindCandidates;
  /** Which of them rest. */
  readonly cooldowns: CooldownStore;
  workspaceOf(agent: Agent): Workspace;
  /**
   * What an agent remembers.
   * @param sight what whoever asks may see; all where it is absent
   */
  memoryOf(agent: Agent, sight?: Visibility): AgentMemory;
  /** Has an agent's memory compared with its files where a conversation begins. Nobody waits for that. */
  compareMemory(agent: Agent): void;
  /** The value of a variable or secret of the Worker; not to be shown, stored or told. */
  secret(name: string): string | undefined;
  /** Where skills are installed. */
  readonly installs: InstallStore;
  /** How often skills were changed from outside of conversations, as far as this isolate knows. */
  skillChanges(): number;
  /** The owners' ids as the prompt may show them. */
  ownersShown(): Promise<string[]>;
  /** What plugins bring that are switched on, but for their hooks. */
  readonly plugins: Omit<Assembly, "hooks">;
  /** Runs the hooks of plugins. */
  readonly hooks: Hooks;
  /** A channel and one of its accounts. @throws IsopodError `not_found` */
  channel(channelId: string, accountId: string): OpenChannel;
  /** Reads and changes the configuration as it is stored. */
  readonly configuration: ConfigurationPort;
}

/** The configuration as it is stored. */
export interface ConfigurationPort {
  /** The newest document, sparse, with the number that a change of it is made from. @throws IsopodError `unavailable` */
  newest(): Promise<{ revision: number; document: JsonObject }>;
  /** Changes it; see `changeConfiguration`. */
  change(wanted: ConfigChange): Promise<ConfigChanged>;
  /** A revision without its document; undefined where it is not kept. */
  at(revision: number): Promise<RevisionLine | undefined>;
  /** The schema of all of it. */
  describe(): SchemaNode;
}

/** A channel with what it needs to work for one account. */
export interface OpenChannel {
  channel: AnyChannel;
  context: ChannelContext<unknown>;
}

/**
 * Opens everything, the way the configuration says that this isolate knows.
 * @param waitUntil keeps the caller alive for work that nobody waits for
 * @param morePlugins plugins besides those that Isopod brings
 * @throws IsopodError `not_configured` where the configuration is not valid, `unavailable` where it could not be read
 */
export function createServices(
  env: Env,
  waitUntil: (promise: Promise<unknown>) => void,
  morePlugins = NO_MORE,
): Services {
  const { revision, config, models, candidates, plugins, hooks } = settledParts(env, morePlugins);
  const { rests, started, memoryParts } = morePlugins.length === 0 ? rememberedBy(env) : nothingRemembered();
  const secret = (name: string) => variable(env, name);
  const host = env.ISOPOD_HOST ?? "cloudflare-workers";
  const workspaceOf = (agent: Agent) =>
    createR2Workspace({
      bucket: env.FILES,
      agentId: agent.id,
      configured: agent.workspace,
      now: Date.now,
      newVersionId: () => newId("ver", Date.now()),
      wait: sleepAbout,
      onReplaced: (path) => waitUntil(env.UPKEEP.send({ kind: "prune-versions", agentId: agent.id, path })),
      onChanged: (path) => noteMemoryChange(env, livingWith(agent, config), path, Date.now),
    });
  return {
    config,
    revision,
    // Absent where a configuration of somebody's own does not bind it.
    deployment: env.DEPLOYMENT?.id ?? VERSION,
    started,
    host,
    egress: openEgress(config.security.egress, host),
    modelRefOf: (agent) => agent.model ?? defaultModelRef(secret),
    model: (ref) => models.resolve(ref),
    candidates,
    cooldowns: new CooldownStore(env.DB, rests, waitUntil),
    workspaceOf,
    memoryOf: (agent, sight) =>
      openMemory(env, {
        agent,
        workspace: workspaceOf(agent),
        secret,
        host,
        parts: memoryParts,
        sight,
        now: Date.now,
        waitUntil,
      }),
    compareMemory: ({ id, memorySearch: { enabled, sync } }) => {
      if (enabled && sync.onSessionStart) waitUntil(requestIndexingAtStart(env.INDEXING, id, Date.now()));
    },
    secret,
    installs: {
      bucket: env.FILES,
      now: Date.now,
      newVersionId: () => newId("ver", Date.now()),
      wait: sleepAbout,
      onReplaced: (path) => waitUntil(env.UPKEEP.send({ kind: "prune-versions", agentId: MANAGED_ID, path })),
    },
    skillChanges: () => knownConfiguration(env.DB).skillChanges,
    ownersShown: () => ownersForPrompt(config.commands, secret),
    plugins,
    hooks,
    channel: (channelId, accountId) => openChannel(config, plugins.channels, secret, channelId, accountId),
    configuration: {
      newest: () => newestDocument(env),
      change: (wanted) => changeConfiguration(env, wanted, Date.now()),
      at: (revision) => new ConfigStore(env.DB).at(revision),
      describe: () => jsonSchemaOf(wholeSchema),
    },
  };
}

/** The agent that a session belongs to. @throws IsopodError `not_found` */
export function agentIn(services: Services, agentId: string): Agent {
  return agentOf(services.config, agentId);
}

/** An agent, and those that have the same workspace. */
function livingWith(agent: Agent, config: Config): Agent[] {
  return [agent, ...sharingAgents(config, agent.id).map((id) => agentOf(config, id))];
}

/** What stays the same as long as environment and configuration do, and is too dear to be made for each request. */
interface SettledParts {
  revision: number;
  config: Config;
  models: ModelResolver;
  candidates: FindCandidates;
  plugins: Assembly;
  hooks: Hooks;
}

/** What an isolate remembers whatever the configuration is. */
interface Remembered {
  rests: CooldownCache;
  started: Set<string>;
  memoryParts: MemoryCaches;
}

const settled = new WeakMap<Env, SettledParts>();
const remembered = new WeakMap<Env, Remembered>();

function settledParts(env: Env, morePlugins: readonly AnyPlugin[]): SettledParts {
  const { revision, config } = configurationInForce(env);
  const known = morePlugins.length === 0 ? settled.get(env) : undefined;
  if (known?.revision === revision) return known;
  const plugins = assemble([...PLUGINS, ...morePlugins], config.hooks);
  const providers = { ...plugins.providers, ...config.models.providers };
  const secret = (name: string) => variable(env, name);
  const { auth } = config;
  const models = createModelResolver({ providers, auth, secret, fetch });
  const leftOut = (name: string, why: string) => log("warn", "model.left_out", { name, why });
  const candidates = createCandidates({ resolver: models, auth, secret, leftOut });
  const hooks = createHooks(plugins.hooks, { log });
  const parts = { revision, config, models, candidates, plugins, hooks };
  if (morePlugins.length === 0) settled.set(env, parts);
  return parts;
}

function rememberedBy(env: Env): Remembered {
  const known = remembered.get(env) ?? nothingRemembered();
  remembered.set(env, known);
  return known;
}

function nothingRemembered(): Remembered {
  return { rests: new Map(), started: new Set(), memoryParts: newMemoryCaches() };
}

function openChannel(
  config: Config,
  pluginChannels: readonly AnyChannel[],
  secret: (name: string) => string | undefined,
  channelId: string,
  accountId: string,
): OpenChannel {
  const channel = findChannel(channelId, pluginChannels);
  const accounts = new Map(Object.entries(config.channels[channelId]?.accounts ?? {}));
  const account: unknown = accounts.get(accountId);
  if (channel === undefined || account === undefined) {
    throw new IsopodError(
      "not_found",
      `There is no account '${accountId}' of a channel '${channelId}'`,
      `Add it to channels.${channelId}.accounts in the configuration.`,
    );
  }
  const context = { accountId, account, secret: (ref: { id: string }) => secret(ref.id), fetch, now: Date.now };
  return { channel, context };
}

/** A variable or secret of the Worker by name; bindings that are no text are none. */
export function variable(env: Env, name: string): string | undefined {
  const value: unknown = Reflect.get(env, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}
