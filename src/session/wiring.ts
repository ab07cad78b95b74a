import type { AnyChannel, ChannelContext, Target } from "../channels/channel.ts";
import { channelsConfig, findChannel } from "../channels/index.ts";
import { type Agent, agentOf } from "../config/agents.ts";
import { loadConfig } from "../config/load.ts";
import { configSchema } from "../config/schema.ts";
import { createHooks, type Hooks } from "../hooks/runner.ts";
import { IsopodError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { VERSION } from "../lib/version.ts";
import { createCandidates, type FindCandidates } from "../models/candidates.ts";
import { modelsConfig } from "../models/config.ts";
import { createModelResolver, defaultModelRef } from "../models/index.ts";
import type { Model, ModelResolver } from "../models/model.ts";
import { type Assembly, assemble } from "../plugins/assembly.ts";
import { hooksConfig } from "../plugins/config.ts";
import { PLUGINS } from "../plugins/index.ts";
import type { AnyPlugin } from "../plugins/plugin.ts";
import { createR2Workspace } from "../workspace/r2.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { QueuePolicy } from "./run/queue.ts";
import type { SessionSettings } from "./store/stored-shapes.ts";
import { Cooldowns, type RememberedRests } from "./turn/cooldowns.ts";
import { ownersForPrompt } from "./turn/owners.ts";
import { waitAbout } from "./wait-about.ts";

const PLUGIN_CHANNELS = PLUGINS.flatMap(({ channels }) => channels ?? []);
const schema = configSchema(modelsConfig, channelsConfig(PLUGIN_CHANNELS), hooksConfig(PLUGINS));
/** No plugins besides those that Isopod brings. */
const NO_MORE: readonly AnyPlugin[] = [];

const DEFAULT_QUEUE = schema.parse({}).messages.queue;

/** The whole configuration. */
export type Config = ReturnType<typeof readConfig>;

/** The Worker's bindings, opened the way its configuration says. Cheap to make, and holds no state of its own. */
export interface Wiring {
  readonly config: Config;
  /** The deployment that runs here: its id on Cloudflare, else Isopod's version. */
  readonly deployment: string;
  /** The agents for which this isolate has not to ask any more whether the deployment has come up. */
  readonly started: Set<string>;
  /** `workerd` on a machine of one's own. */
  readonly host: "cloudflare-workers" | "workerd";
  /** `provider/model` that an agent answers with. */
  modelRefOf(agent: Agent): string;
  /** The model behind a reference. @throws IsopodError `not_configured` */
  model(ref: string): Model;
  /** Who may answer. @throws IsopodError `not_configured` where nobody may */
  readonly candidates: FindCandidates;
  /** Which of them rest. */
  readonly cooldowns: Cooldowns;
  workspaceOf(agent: Agent): Workspace;
  /** The owners' ids as the prompt may show them. */
  ownersShown(): Promise<string[]>;
  /** What plugins bring that are switched on, but for their hooks. */
  readonly plugins: Omit<Assembly, "hooks">;
  /** Runs the hooks of plugins. */
  readonly hooks: Hooks;
  /** A channel and one of its accounts. @throws IsopodError `not_found` */
  channel(channelId: string, accountId: string): OpenChannel;
}

/** A channel with what it needs to work for one account. */
export interface OpenChannel {
  channel: AnyChannel;
  context: ChannelContext<unknown>;
}

/**
 * Opens everything.
 * @param waitUntil keeps the caller alive for work that nobody waits for
 * @param morePlugins plugins besides those that Isopod brings
 * @throws IsopodError `not_configured` where the configuration is not valid
 */
export function wire(env: Env, waitUntil: (promise: Promise<unknown>) => void, morePlugins = NO_MORE): Wiring {
  const { config, models, candidates, rests, plugins, hooks, started } = settledParts(env, morePlugins);
  const secret = (name: string) => variable(env, name);
  return {
    config,
    // Absent where a configuration of somebody's own does not bind it.
    deployment: env.DEPLOYMENT?.id ?? VERSION,
    started,
    host: env.ISOPOD_HOST ?? "cloudflare-workers",
    modelRefOf: (agent) => agent.model ?? defaultModelRef(secret),
    model: (ref) => models.resolve(ref),
    candidates,
    cooldowns: new Cooldowns(env.DB, rests, waitUntil),
    workspaceOf: (agent) =>
      createR2Workspace({
        bucket: env.FILES,
        agentId: agent.id,
        configured: agent.workspace,
        now: Date.now,
        newVersionId: () => newId("ver", Date.now()),
        wait: waitAbout,
        onReplaced: (path) => waitUntil(env.UPKEEP.send({ kind: "prune-versions", agentId: agent.id, path })),
      }),
    ownersShown: () => ownersForPrompt(config.commands, secret),
    plugins,
    hooks,
    channel: (channelId, accountId) => openChannel(config, plugins.channels, secret, channelId, accountId),
  };
}

/** How a session treats what comes while it is busy. A configuration that is not valid means the defaults. */
export function policyFor(wiring: () => Wiring, settings: SessionSettings, target: Target | null): QueuePolicy {
  const { byChannel, ...policy } = queueConfig(wiring);
  // Who started a sub-agent wants to be heard while it works.
  const mode = settings.spawned ? "steer" : ((target && byChannel[target.channel]) ?? policy.mode);
  return { ...policy, mode, ...settings.queue };
}

function queueConfig(wiring: () => Wiring): Config["messages"]["queue"] {
  try {
    return wiring().config.messages.queue;
  } catch (error) {
    if (error instanceof IsopodError) return DEFAULT_QUEUE;
    throw error;
  }
}

/** The agent that a session belongs to. @throws IsopodError `not_found` */
export function agentIn(wiring: Wiring, agentId: string): Agent {
  return agentOf(wiring.config, agentId);
}

/** What stays the same as long as the environment does, and is too dear to be made for each request. */
interface SettledParts {
  config: Config;
  models: ModelResolver;
  candidates: FindCandidates;
  rests: RememberedRests;
  plugins: Assembly;
  hooks: Hooks;
  started: Set<string>;
}

const settled = new WeakMap<Env, SettledParts>();

function settledParts(env: Env, morePlugins: readonly AnyPlugin[]): SettledParts {
  const known = morePlugins.length === 0 ? settled.get(env) : undefined;
  if (known !== undefined) return known;
  const config = readConfig(env);
  const plugins = assemble([...PLUGINS, ...morePlugins], config.hooks);
  const providers = { ...plugins.providers, ...config.models.providers };
  const secret = (name: string) => variable(env, name);
  const { auth } = config;
  const models = createModelResolver({ providers, auth, secret, fetch });
  const leftOut = (name: string, why: string) => log("warn", "model.left_out", { name, why });
  const candidates = createCandidates({ resolver: models, auth, secret, leftOut });
  const rests: RememberedRests = new Map();
  const hooks = createHooks(plugins.hooks, { log });
  const started = new Set<string>();
  const parts = { config, models, candidates, rests, plugins, hooks, started };
  if (morePlugins.length === 0) settled.set(env, parts);
  return parts;
}

function readConfig(env: Env) {
  return loadConfig(schema, env.ISOPOD_CONFIG);
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
function variable(env: Env, name: string): string | undefined {
  const value: unknown = Reflect.get(env, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}
