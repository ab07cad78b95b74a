import type { BrowserBinding } from "../browser/browser-binding.ts";
import type { AnyChannel } from "../channels/channel.ts";
import { findChannel } from "../channels/index.ts";
import { type Agent, agentOf, sharingAgents } from "../config/agents.ts";
import { jsonSchemaOf } from "../config/schema-node.ts";
import { ConfigStore } from "../config/store.ts";
import { workspacePrefix } from "../config/workspace-prefix.ts";
import { IsopodError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { sleepAbout } from "../lib/sleep.ts";
import { VERSION } from "../lib/version.ts";
import { type MediaModels, type MediaSources, openMedia } from "../media/choose-media.ts";
import { createCandidates, type FindCandidates } from "../models/candidates.ts";
import { createModelResolver, defaultModelRef } from "../models/index.ts";
import type { ModelResolver } from "../models/model.ts";
import { type ProviderSources, providerHosts } from "../models/provider-access.ts";
import { type Assembly, assemble } from "../plugins/assembly.ts";
import { createHooks, type Hooks } from "../plugins/hook-runner.ts";
import { PLUGINS } from "../plugins/index.ts";
import type { AnyPlugin } from "../plugins/plugin.ts";
import { DATA_KEY_VARIABLE, type DataKey, readDataKey } from "../security/data-key.ts";
import {
  type EgressRules,
  fetchThrough,
  openEgress,
  openStreamingEgress,
  type SafeFetch,
} from "../security/safe-fetch.ts";
import { MANAGED_ID } from "../skills/install/install-target.ts";
import { createR2Workspace } from "../workspace/r2.ts";
import { isolatePages, isolateSearches } from "./agent-cache.ts";
import { changeConfiguration, newestDocument } from "./change-config.ts";
import { type Config, wholeSchema } from "./config-schema.ts";
import { type CooldownCache, CooldownStore } from "./cooldowns.ts";
import { configurationInForce, knownConfiguration } from "./current-config.ts";
import { isolateListings } from "./listing-cache.ts";
import { type MemoryCaches, newMemoryCaches } from "./memory/memory-deps.ts";
import { noteMemoryChange } from "./memory/note-memory-change.ts";
import { embeddersOf, openMemory } from "./memory/open-memory.ts";
import { requestIndexingAtStart } from "./memory/request-indexing.ts";
import { openSearch } from "./open-search.ts";
import { authorForPrompt, ownersForPrompt } from "./owner-ids.ts";
import { documentReader } from "./read-document.ts";
import { noteSecurityEvent } from "./security-events.ts";
import type { OpenChannel, Services } from "./services.ts";
import { isSkillPath } from "./skills/note-skill-change.ts";

/** Bindings that are commented out in wrangler.toml by default, so that the generated `Env` does not have them. */
interface OptionalBindings {
  BROWSER?: BrowserBinding;
}

/** No plugins besides the bundled ones. */
const NO_PLUGINS: readonly AnyPlugin[] = [];

/**
 * Opens the services of the configuration revision that this isolate knows.
 * @param waitUntil keeps the caller alive for background work
 * @param morePlugins plugins besides the bundled ones
 * @param stores the bindings of R2 and D1, if they are not those of `env`
 * @throws IsopodError `not_configured` if the configuration is not valid, `unavailable` if it could not be read
 */
export function createServices(
  env: Env,
  waitUntil: (promise: Promise<unknown>) => void,
  morePlugins = NO_PLUGINS,
  stores: Pick<Env, "FILES" | "DB" | "MEMORY"> = env,
): Services {
  const { revision, config, models, candidates, media, plugins, hooks } = revisionParts(env, morePlugins);
  const { cooldowns, started, memoryCaches } = morePlugins.length === 0 ? isolateCaches(env) : newCaches();
  const secret = (name: string) => variable(env, name);
  const host = hostOf(env);
  const egress = openEgress(config.security.egress, host);
  const workspaceOf = (agent: Agent) =>
    createR2Workspace({
      bucket: stores.FILES,
      agentId: agent.id,
      configured: agent.workspace,
      now: Date.now,
      newVersionId: () => newId("ver", Date.now()),
      wait: sleepAbout,
      onReplaced: (path) => waitUntil(env.UPKEEP.send({ kind: "prune-versions", agentId: agent.id, path })),
      onChanged: (path) => {
        const prefix = workspacePrefix(agent.id, agent.workspace);
        isolateListings.workspaces.drop(prefix);
        if (isSkillPath(path)) isolateListings.skills.drop(prefix);
        return noteMemoryChange(env, agentsSharing(agent, config), path, Date.now);
      },
    });
  return {
    config,
    revision,
    listings: isolateListings,
    // Undefined if a custom wrangler.toml omits the binding.
    deployment: env.DEPLOYMENT?.id ?? VERSION,
    started,
    host,
    egress,
    mcp: {
      database: stores.DB,
      fetch: openStreamingEgress(config.security.egress, host),
      secret,
      dataKey: knownDataKey(env),
      noteHeldBack: (server, tools) =>
        noteSecurityEvent(
          stores.DB,
          { kind: "mcp", agentId: "", by: `mcp.servers.${server}`, subject: "held back", detail: tools.join(", ") },
          Date.now(),
        ),
      noteSignInLost: (server, why) =>
        noteSecurityEvent(
          stores.DB,
          { kind: "mcp", agentId: "", by: `mcp.servers.${server}`, subject: "sign-in lost", detail: why },
          Date.now(),
        ),
      waitUntil,
      now: Date.now,
    },
    pages: isolatePages,
    media,
    search: openSearch(config, { secret, host }),
    browser: (env as Env & OptionalBindings).BROWSER,
    searches: isolateSearches,
    readDocument: documentReader(env.AI),
    modelRefOf: (agent) => agent.model ?? defaultModelRef(secret),
    model: (ref) => models.resolve(ref),
    candidates,
    cooldowns: new CooldownStore(env.DB, cooldowns, waitUntil),
    workspaceOf,
    memoryOf: (agent, visibility) =>
      openMemory(
        { ...env, MEMORY: stores.MEMORY, DB: stores.DB },
        {
          agent,
          workspace: workspaceOf(agent),
          secret,
          host,
          parts: memoryCaches,
          visibility: visibility,
          now: Date.now,
          waitUntil,
        },
      ),
    embeddersOf: (settings) => embeddersOf(settings, env, { secret, host, parts: memoryCaches, now: Date.now }),
    compareMemory: ({ id, memorySearch: { enabled, sync } }) => {
      if (enabled && sync.onSessionStart) waitUntil(requestIndexingAtStart(env.INDEXING, id, Date.now()));
    },
    secret,
    dataKey: knownDataKey(env),
    installs: {
      bucket: stores.FILES,
      now: Date.now,
      newVersionId: () => newId("ver", Date.now()),
      wait: sleepAbout,
      onReplaced: (path) => waitUntil(env.UPKEEP.send({ kind: "prune-versions", agentId: MANAGED_ID, path })),
    },
    skillChanges: () => knownConfiguration(env.DB).skillChanges,
    ownersShown: () => ownersForPrompt(config.commands, secret),
    authorShown: (id, owner) => authorForPrompt(id, owner, config.commands, secret),
    browserZone: (agentId) => knownConfiguration(env.DB).browserZone(agentId),
    plugins,
    hooks,
    channel: (channelId, accountId) =>
      openChannel(
        { config, pluginChannels: plugins.channels, secret, egress, email: env.EMAIL, dataKey: knownDataKey(env) },
        channelId,
        accountId,
      ),
    configuration: {
      newest: () => newestDocument(env),
      change: (wanted) => changeConfiguration(env, wanted, Date.now()),
      at: (revision) => new ConfigStore(env.DB).at(revision),
      describe: () => jsonSchemaOf(wholeSchema),
    },
  };
}

/** An agent and the agents that share its workspace. */
function agentsSharing(agent: Agent, config: Config): Agent[] {
  return [agent, ...sharingAgents(config, agent.id).map((id) => agentOf(config, id))];
}

/** What is made once per configuration revision, because it is too expensive to make for each request. */
interface RevisionParts {
  revision: number;
  config: Config;
  models: ModelResolver;
  candidates: FindCandidates;
  media: MediaModels;
  plugins: Assembly;
  hooks: Hooks;
}

/** What an isolate remembers across configuration revisions. */
interface IsolateCaches {
  cooldowns: CooldownCache;
  started: Set<string>;
  memoryCaches: MemoryCaches;
}

const revisions = new WeakMap<Env, RevisionParts>();
const caches = new WeakMap<Env, IsolateCaches>();

function revisionParts(env: Env, morePlugins: readonly AnyPlugin[]): RevisionParts {
  const { revision, config } = configurationInForce(env);
  const known = morePlugins.length === 0 ? revisions.get(env) : undefined;
  // D1 may be set back to an older time, and a revision's number be given again.
  if (known?.revision === revision && known.config === config) return known;
  const plugins = assemble([...PLUGINS, ...morePlugins], config.hooks);
  const providers = { ...plugins.providers, ...config.models.providers };
  const secret = (name: string) => variable(env, name);
  const { auth } = config;
  const models = createModelResolver({ providers, auth, secret, fetch });
  const skipped = (name: string, why: string) => log("warn", "model.left_out", { name, why });
  const candidates = createCandidates({ resolver: models, auth, secret, leftOut: skipped });
  const media = openMedia(config, mediaSources(env, { providers, auth, secret }, config.security.egress));
  const hooks = createHooks(plugins.hooks, { log });
  const parts = { revision, config, models, candidates, media, plugins, hooks };
  if (morePlugins.length === 0) revisions.set(env, parts);
  return parts;
}

function hostOf({ ISOPOD_HOST }: Pick<Env, "ISOPOD_HOST">): Services["host"] {
  return ISOPOD_HOST ?? "cloudflare-workers";
}

/** Most bytes of an answer of a provider of media, and its longest time: pictures are large, and take long. */
const MEDIA_LIMITS = { maxBytes: 16 * 1024 * 1024, timeoutMs: 600_000 };

/** Providers are reached by the guarded egress; the configuration names their servers, also private ones. */
function mediaSources(env: Env, sources: ProviderSources, egress: EgressRules): MediaSources {
  const allowPrivate = [...egress.allowPrivate, ...providerHosts(sources)];
  const host = hostOf(env);
  return {
    ...sources,
    // Workers AI does not answer outside of Cloudflare.
    ai: host === "cloudflare-workers" ? env.AI : undefined,
    egress: openEgress({ ...egress, allowPrivate }, host, MEDIA_LIMITS),
  };
}

/** The data key of each environment, once read. */
const dataKeys = new WeakMap<Env, { key: DataKey | undefined }>();

function knownDataKey(env: Env): DataKey | undefined {
  const known = dataKeys.get(env);
  if (known !== undefined) return known.key;
  const key = readDataKey(variable(env, DATA_KEY_VARIABLE));
  if (key === "malformed") log("error", "data_key.malformed", { variable: DATA_KEY_VARIABLE });
  const read = { key: key === "malformed" ? undefined : key };
  dataKeys.set(env, read);
  return read.key;
}

function isolateCaches(env: Env): IsolateCaches {
  const known = caches.get(env) ?? newCaches();
  caches.set(env, known);
  return known;
}

function newCaches(): IsolateCaches {
  return { cooldowns: new Map(), started: new Set(), memoryCaches: newMemoryCaches() };
}

interface ChannelDeps {
  dataKey: DataKey | undefined;
  /** Undefined if a custom wrangler.toml omits the binding. */
  email: SendEmail | undefined;
  config: Config;
  pluginChannels: readonly AnyChannel[];
  secret(name: string): string | undefined;
  egress: SafeFetch;
}

function openChannel(
  { config, pluginChannels, secret, egress, email, dataKey }: ChannelDeps,
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
  const { publicUrl } = config.channels.defaults ?? {};
  const context = {
    ...{ accountId, account, secret: (ref: { id: string }) => secret(ref.id), now: Date.now },
    fetch: channel.isGuarded ? fetchThrough(egress) : fetch,
    ...(dataKey && { dataKey }),
    ...(email && { sendEmail: (message: EmailMessageBuilder) => email.send(message) }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(dataKey === undefined && { losesTokens: true as const }),
  };
  return { channel, context };
}

/** The value of a variable or secret of the Worker; undefined for a binding that is not a string. */
export function variable(env: Env, name: string): string | undefined {
  const value: unknown = Reflect.get(env, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}
