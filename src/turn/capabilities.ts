import { groupRulesOf } from "../channels/group-rules.ts";
import { policyRules } from "../config/policy-rules.ts";
import { MEDIA_TASKS } from "../media/media-tasks.ts";
import { chooseSearch } from "../search/choose-search.ts";
import { hostLabel, type Label, strangerLabel } from "../security/labels.ts";
import { type Action, decide, type PolicyDecision, type PolicyRules, type Resource } from "../security/policy.ts";
import { CONDITIONAL_TOOLS, RESERVED_TOOLS, type ToolPolicy } from "../security/tool-policy.ts";
import { agentIn, type Services } from "../services/services.ts";
import type { SkillEntries } from "../skills/gate.ts";
import { lookers } from "./turn-image.ts";

/** What one class of sender may do at one place, after reading words of one kind. */
export interface CapabilityRow {
  sender: "owner" | "other";
  /** `direct`, or a group; with the channel and the group's id where those have rules of their own. */
  place: string;
  /** What the turn has read: nothing foreign, a stranger's words, or a page. */
  read: "own" | "stranger" | "host";
  /** False for heartbeats, jobs and hooks. */
  attended: boolean;
  cells: CapabilityCell[];
}

/** One action, and what is decided about it by which rule. */
export interface CapabilityCell extends PolicyDecision {
  action: Action;
  /** The tool; for other actions an example of what they are done to. */
  resource: string;
}

/** What commands see of the secrets of an entry of `skills.entries`, and where the values may go. */
export interface SecretCapability {
  skill: string;
  /** The names of the Worker's secrets. */
  secrets: string[];
  sees: "placeholder" | "value";
  /** Absent where an owner is asked at the first use, or where commands see the value. */
  hosts?: readonly string[];
}

/** Who searches the web, and with the variable of which key; or why there is no `web_search`, and what to do. */
export type SearchCapability = { service: string; variable?: string } | { why: string; fix: string };

/** A tool for media with the models behind it, as `provider/model`; or why there is no such tool, and what to do. */
export type MediaCapability = { tool: string } & ({ models: string[] } | { why: string; fix: string });

/** What the turns of one agent may do, and with what. */
export interface AgentCapabilities {
  /** `provider/model` of the next run. */
  model: string;
  egress: { mode: string; trusted: readonly string[]; allowPrivate: readonly string[] };
  search: SearchCapability;
  media: MediaCapability[];
  /** Tools of OpenClaw that no turn has. */
  absent: { tool: string; why: string }[];
  secrets: SecretCapability[];
  rows: CapabilityRow[];
}

/** The tools that a matrix has a cell for. */
export const MATRIX_TOOLS: readonly string[] = [
  ...["read", "write", "edit", "apply_patch", "grep", "find", "ls", "exec"],
  ...["web_search", "web_fetch", "browser", "message"],
  ...["gateway", "sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "session_status"],
  ...["memory_search", "memory_get", "image", "image_generate", "transcribe", "tts"],
];

const READ: Readonly<Record<CapabilityRow["read"], readonly Label[]>> = {
  own: [],
  stranger: [strangerLabel("telegram:0")],
  host: [hostLabel("example.org")],
};

/** The other actions, each with an example. In a direct conversation nobody else reads the answer. */
function otherActions(isShared: boolean): { action: Action; resource: Resource }[] {
  return [
    { action: "run-command", resource: { name: "a script", programs: undefined } },
    { action: "reach-host", resource: { name: "a host that nobody named" } },
    { action: "reach-host", resource: { name: "an address that somebody named", isNamed: true } },
    { action: "call-server", resource: { name: "a tool of an MCP server" } },
    { action: "persist", resource: { name: "AGENTS.md" } },
    { action: "send-message", resource: { name: "another conversation" } },
    { action: "send-message", resource: { name: "the conversation that asked", isHere: true } },
    { action: "read-private", resource: { name: "MEMORY.md", isHere: !isShared } },
  ];
}

const OWNERS_VIEWS = ["own", "stranger", "host"] as const;
const STRANGERS_VIEWS = ["stranger", "host"] as const;

interface Place {
  name: string;
  isShared: boolean;
  channel?: string;
  group?: ToolPolicy | undefined;
}

/**
 * What an agent may do, from one revision of the configuration.
 * @throws IsopodError `not_found` if there is no such agent
 */
export function agentCapabilities(services: Services, agentId: string): AgentCapabilities {
  const { mode, trusted, allowPrivate } = services.config.security.egress;
  const model = services.modelRefOf(agentIn(services, agentId));
  return {
    model,
    egress: { mode, trusted, allowPrivate },
    search: searchCapability(services),
    media: [imageCapability(model, services), ...mediaCapabilities(services)],
    absent: [...(hasBrowser(services) ? [] : CONDITIONAL_TOOLS), ...RESERVED_TOOLS].map(([tool, why]) => ({
      tool,
      why,
    })),
    secrets: secretCapabilities(services.config.skills.entries),
    rows: capabilities(services, agentId),
  };
}

/** Whether turns can have a browser, from one revision of the configuration. */
function hasBrowser({ browser, config }: Pick<Services, "browser" | "config">): boolean {
  return browser !== undefined && config.tools.web.browser.enabled;
}

/** Whether turns can search the web, from one revision of the configuration. */
export function searchCapability({ config, secret }: Pick<Services, "config" | "secret">): SearchCapability {
  const chosen = chooseSearch(config.tools.web.search, secret);
  if (chosen.provider === undefined) return { why: chosen.why, fix: chosen.fix };
  const { provider, variable } = chosen;
  return { service: provider.name, ...(variable !== undefined && { variable }) };
}

function imageCapability(own: string, services: Services): MediaCapability {
  const models = lookers(own, services);
  if (models.length > 0) return { tool: "image", models };
  const why = `${own} is not known to see pictures.`;
  return { tool: "image", why, fix: "Name a model that does in agents.defaults.imageModel." };
}

/** Who does the tasks of media, from one revision of the configuration. */
export function mediaCapabilities({ media }: Pick<Services, "media">): MediaCapability[] {
  return MEDIA_TASKS.map(({ tool, choice, does, fix }) => {
    const { models, lacks } = media[choice];
    if (models.length > 0) return { tool, models: models.map(({ ref }) => ref) };
    return { tool, why: lacks.length > 0 ? lacks.join(" ") : `Nobody ${does}.`, fix };
  });
}

/** The entries that have secrets. */
export function secretCapabilities(entries: SkillEntries): SecretCapability[] {
  return Object.entries(entries).flatMap(([skill, { apiKey, env = {}, hosts, secretMode }]) => {
    const secrets = [...(apiKey === undefined ? [] : [apiKey.id]), ...Object.values(env).map(({ id }) => id)];
    if (secrets.length === 0) return [];
    const sees = secretMode ?? "placeholder";
    return [{ skill, secrets, sees, ...(sees === "placeholder" && hosts !== undefined && { hosts }) }];
  });
}

/**
 * What an agent's turns may do: for each class of sender, place and kind of words read, every decision of the policy
 * that enforces it. Plain data from one revision of the configuration.
 * @throws IsopodError `not_found` if there is no such agent
 */
export function capabilities(services: Services, agentId: string): CapabilityRow[] {
  const agent = agentIn(services, agentId);
  const rows: CapabilityRow[] = [];
  for (const place of placesOf(services)) {
    for (const sender of ["owner", "other"] as const) {
      const rules = policyRules(services.config, agent, { channel: place.channel, group: place.group });
      // What a stranger says is foreign already.
      for (const read of sender === "owner" ? OWNERS_VIEWS : STRANGERS_VIEWS) {
        for (const attended of [true, false]) {
          rows.push({
            sender,
            place: place.name,
            read,
            attended,
            cells: cellsOf(rules, { sender, read, attended, place }),
          });
        }
      }
    }
  }
  return rows;
}

function cellsOf(
  rules: PolicyRules,
  { sender, read, attended, place }: Pick<CapabilityRow, "sender" | "read" | "attended"> & { place: Place },
): CapabilityCell[] {
  const principal = { owner: sender === "owner", attended };
  const tools = MATRIX_TOOLS.map((name) => ({ action: "use-tool" as const, resource: { name } }));
  return [...tools, ...otherActions(place.isShared)].map(({ action, resource }) => ({
    action,
    resource: resource.name,
    ...decide(rules, principal, action, resource, READ[read]),
  }));
}

/** The places whose rules differ: the API and the page, each channel that is set up, and each group with tools of its own. */
function placesOf(services: Services): Place[] {
  const places: Place[] = [{ name: "direct", isShared: false }];
  for (const [channel, entry] of Object.entries(services.config.channels)) {
    for (const accountId of Object.keys(entry?.accounts ?? {})) {
      const open = services.channel(channel, accountId);
      if (!open.channel.isReady(open.context)) continue;
      const { groups } = open.channel.access(open.context.account);
      const where = `${channel}/${accountId}`;
      places.push(
        { name: `${where} direct`, isShared: false, channel },
        { name: `${where} group`, isShared: true, channel, group: groupRulesOf(groups, { id: "*" })?.tools },
      );
      for (const [id, { tools }] of Object.entries(groups)) {
        if (id !== "*" && tools) places.push({ name: `${where} group ${id}`, isShared: true, channel, group: tools });
      }
    }
  }
  return places;
}
