import type { BrowserBinding } from "../browser/browser-binding.ts";
import type { AnyChannel, ChannelContext } from "../channels/channel.ts";
import { type Agent, agentOf } from "../config/agents.ts";
import type { SchemaNode } from "../config/schema-node.ts";
import type { RevisionLine } from "../config/store.ts";
import { workspacePrefix } from "../config/workspace-prefix.ts";
import type { ReadDocument } from "../extract/extract.ts";
import { messageOf } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { log } from "../lib/log.ts";
import type { McpDeps } from "../mcp/mcp-deps.ts";
import type { MediaModels } from "../media/choose-media.ts";
import type { AgentMemory, Visibility } from "../memory/agent-memory.ts";
import type { Embedders } from "../memory/embed/choose-embedders.ts";
import type { FindCandidates } from "../models/candidates.ts";
import type { Model } from "../models/model.ts";
import type { Assembly } from "../plugins/assembly.ts";
import type { Hooks } from "../plugins/hook-runner.ts";
import type { SearchAnswer } from "../search/search-provider.ts";
import type { WebSearch } from "../search/web-search.ts";
import type { DataKey } from "../security/data-key.ts";
import type { SafeFetch } from "../security/safe-fetch.ts";
import type { InstallStore } from "../skills/install/install-target.ts";
import type { FetchedPage } from "../tools/web-fetch.ts";
import type { Workspace, WorkspaceEntry } from "../workspace/workspace.ts";
import type { AgentCache } from "./agent-cache.ts";
import type { ConfigChange, ConfigChanged } from "./change-config.ts";
import type { Config } from "./config-schema.ts";
import type { CooldownStore } from "./cooldowns.ts";
import type { Listings } from "./listing-cache.ts";

export type { Config } from "./config-schema.ts";

/**
 * The services of a configuration revision: models, workspaces, memory, channels, hooks and egress. It holds no state.
 */
export interface Services {
  readonly config: Config;
  /** The revision of the configuration; 0 if none is stored. */
  readonly revision: number;
  /** The deployed version: its id on Cloudflare, else Isopod's version. */
  readonly deployment: string;
  /** The agents whose `gateway_start` this isolate has handled. */
  readonly started: Set<string>;
  /** `workerd` when it runs locally. */
  readonly host: "cloudflare-workers" | "workerd";
  /** The only way out for requests of agents and installs. */
  readonly egress: SafeFetch;
  /** What reaching MCP servers needs. */
  readonly mcp: McpDeps;
  /** The pages that this isolate has fetched. */
  readonly pages: AgentCache<FetchedPage>;
  /** Searches the web; undefined if no service is set up. */
  readonly search: WebSearch | undefined;
  /** The binding for browsers; undefined where wrangler.toml has none. */
  readonly browser: BrowserBinding | undefined;
  /** What this isolate's searches have found. */
  readonly searches: AgentCache<SearchAnswer>;
  /** The models that transcribe, read aloud and make pictures. */
  readonly media: MediaModels;
  /** Reads PDFs and office documents; undefined without Workers AI. */
  readonly readDocument: ReadDocument | undefined;
  /** The agent's own model, as `provider/model`. */
  modelRefOf(agent: Agent): string;
  /** The model of a reference. @throws IsopodError `not_configured` */
  model(ref: string): Model;
  /** The models and profiles that may answer. @throws IsopodError `not_configured` if there is none */
  readonly candidates: FindCandidates;
  /** Which models and profiles are cooling down. */
  readonly cooldowns: CooldownStore;
  workspaceOf(agent: Agent): Workspace;
  /** The listings that this isolate has made. */
  readonly listings: Listings;
  /**
   * The memory of an agent.
   * @param visibility the part of it that the caller may see; absent for all of it
   */
  memoryOf(agent: Agent, visibility?: Visibility): AgentMemory;
  /** The embedders of memory settings, such as an agent's. */
  embeddersOf(settings: Agent["memorySearch"]): Embedders;
  /** Requests a comparison of an agent's memory with its files, in the background, when a conversation starts. */
  compareMemory(agent: Agent): void;
  /** The value of a variable or secret of the Worker. Never store, log or show it. */
  secret(name: string): string | undefined;
  /** Encrypts tokens that are stored and signs links; undefined where `ISOPOD_DATA_KEY` is not set. */
  readonly dataKey: DataKey | undefined;
  /** Where skills are installed. */
  readonly installs: InstallStore;
  /** A counter of skill changes made outside of conversations, as far as this isolate knows it. */
  skillChanges(): number;
  /** The owners' ids in the form that the prompt shows. */
  ownersShown(): Promise<string[]>;
  /** The time zone that the agent's owner's browser told, if it did. */
  browserZone(agentId: string): string | undefined;
  /** The id of an author as models may see it; see `authorForPrompt`. */
  authorShown(id: string, owner: string | undefined): Promise<string>;
  /** What the enabled plugins contribute, except for their hooks. */
  readonly plugins: Omit<Assembly, "hooks">;
  /** Runs the hooks of the enabled plugins. */
  readonly hooks: Hooks;
  /** A channel and one of its accounts. @throws IsopodError `not_found` */
  channel(channelId: string, accountId: string): OpenChannel;
  /** Reads and changes the stored configuration. */
  readonly configuration: ConfigurationPort;
}

/** The configuration as it is stored. */
export interface ConfigurationPort {
  /**
   * The newest document, without defaults, and its revision, the base of a change. @throws IsopodError `unavailable`
   */
  newest(): Promise<{ revision: number; document: JsonObject }>;
  /** Changes it; see `changeConfiguration`. */
  change(wanted: ConfigChange): Promise<ConfigChanged>;
  /** A revision without its document; undefined if it is not kept. */
  at(revision: number): Promise<RevisionLine | undefined>;
  /** The schema of the whole configuration. */
  describe(): SchemaNode;
}

/** A channel, opened for one account. */
export interface OpenChannel {
  channel: AnyChannel;
  context: ChannelContext<unknown>;
}

/** What the key of data is used for where it encrypts a channel's tokens. */
export function tokenPurpose(channelId: string, accountId: string): string {
  return `reply token of ${channelId}/${accountId}`;
}

/**
 * An agent of the configuration; its time zone is that of its owner's browser if the configuration names none.
 * @throws IsopodError `not_found`
 */
export function agentIn({ config, browserZone }: Pick<Services, "config" | "browserZone">, agentId: string): Agent {
  return withZone(agentOf(config, agentId), browserZone(agentId));
}

/** Agents with the zone of a browser, by the agent of the configuration. */
const zoned = new WeakMap<Agent, Agent>();

function withZone(agent: Agent, zone: string | undefined): Agent {
  if (zone === undefined || agent.defaults.userTimezone !== undefined) return agent;
  const known = zoned.get(agent);
  if (known?.defaults.userTimezone === zone) return known;
  const copy = { ...agent, defaults: { ...agent.defaults, userTimezone: zone } };
  zoned.set(agent, copy);
  return copy;
}

/**
 * The root of an agent's workspace, from a listing of the last minute if this isolate has one. Writes through this
 * isolate are always in it.
 * @throws WorkspaceError `unavailable`
 */
export async function listWorkspaceRoot({ listings, workspaceOf }: Services, agent: Agent): Promise<WorkspaceEntry[]> {
  const key = workspacePrefix(agent.id, agent.workspace);
  return listings.workspaces.fresh(key) ?? listings.workspaces.refresh(key, () => workspaceOf(agent).list(""));
}

/** The age from which a listing that still serves is made again beside the turn that it serves, in milliseconds. */
const AHEAD_AFTER_MS = 10_000;

/**
 * Lists the root of an agent's workspace again for the next turn, if the listing that serves this one is not new: a turn
 * within a minute of this one then waits for none. Never rejects.
 */
export async function listWorkspaceRootAhead(services: Services, agent: Agent, now: number): Promise<void> {
  const { workspaces } = services.listings;
  const key = workspacePrefix(agent.id, agent.workspace);
  if (workspaces.fresh(key) === undefined || now - workspaces.listedAt(key) < AHEAD_AFTER_MS) return;
  try {
    await workspaces.refresh(key, () => services.workspaceOf(agent).list(""));
  } catch (error) {
    log("debug", "workspace.not_listed", { agentId: agent.id, error: messageOf(error) });
  }
}
