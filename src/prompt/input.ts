import type { ThinkingLevel } from "../models/model.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";

/** How much of the prompt a run gets: all of it, the part for sub-agents and jobs, or the identity line. */
export type PromptMode = "full" | "minimal" | "none";

/**
 * The input that does not change from turn to turn, and so all that a section above the cache boundary may read. Two
 * turns of one session, and two sessions of one agent on one kind of channel, have the same `StableInput`.
 */
export interface StableInput {
  mode: PromptMode;
  /** The product's name in the prompt; `prompt.productName`. */
  productName: string;
  /** The tools that policy allows, in any order. */
  tools: readonly PromptTool[];
  /** What to know of tools that are missing, in sentences. */
  toolNotes?: readonly string[];
  /** True if a background command wakes the agent when it ends or fails. */
  completionWake: boolean;
  provider: StableContribution;
  /** The rendered `<available_skills>` list; absent without eligible skills. */
  skillsPrompt?: string;
  memoryCitations: MemoryCitations;
  /** The available chat commands, with their slash. */
  commands: readonly string[];
  modelAliases: readonly ModelAlias[];
  workspace: WorkspaceFacts;
  sandbox?: SandboxFacts;
  docs?: DocsFacts;
  /** The ids of the owners as shown: raw or hashed; none for other people. */
  authorizedSenders: readonly string[];
  /** An IANA zone. */
  timezone: string;
  /** Whether something wakes the agent between messages: timers or heartbeats. */
  wakesUnasked: boolean;
  /** The directives that replies support. */
  outputDirectives: readonly OutputDirective[];
  /** Filtered, truncated and in order. */
  bootstrapFiles: readonly BootstrapFile[];
  /** Problems with workspace files, in sentences. */
  fileWarnings?: readonly string[];
}

/** Everything that a system prompt is rendered from: plain, resolved data. */
export interface PromptInput extends StableInput {
  agentId: string;
  sessionKey: string;
  provider: ProviderContribution;
  /** `provider/model` of this turn. */
  model: string;
  thinking: ThinkingLevel;
  /** Whether people see the model's reasoning. */
  reasoning: "off" | "on" | "stream";
  /** True if the model must tag its reasoning because its wire format has no field for it. */
  reasoningTags: boolean;
  runtime: RuntimeFacts;
  /** Where the reply is sent; absent for a run without a recipient. */
  channel?: ChannelFacts;
  /** How to write a reply that is read aloud. */
  voiceHint?: string;
  /** The date of the turn in the time zone, as `Sun 2026-11-22`. */
  today: string;
  /** Who is in the conversation; absent where no person is. */
  audience?: AudienceFacts;
  /** What the configuration tells the agent about the group. */
  groupPrompt?: string;
  /** Context from a sub-agent's parent, or the instructions of an API client. */
  extraContext?: string;
  /** How often to react with emojis; absent if the channel has no reactions. */
  reactions?: "minimal" | "extensive";
  /** The prompt of heartbeats; absent if the agent has none. */
  heartbeatPrompt?: string;
  delegation: "suggest" | "prefer";
  /** Sections of AGENTS.md to show again after a compaction. */
  agentsRefresh?: string;
  /** `bootstrapPromptTruncationWarning`. */
  truncationWarning: "off" | "once" | "always";
  /** True if this session already got the warning about the currently truncated files. */
  truncationWarned: boolean;
}

/** Who reads and writes in the conversation of a turn. */
export interface AudienceFacts {
  /** Whether the author of the message that is answered is an owner. */
  owner: boolean;
  place: "direct" | "group" | "channel";
  /** The group's title, fenced as external content because its members can set it. */
  title?: string;
}

/** A tool as the prompt lists it. */
export interface PromptTool {
  name: string;
  /** One line. */
  summary: string;
}

/** What a model's provider puts in place of, and above, our own sections. Several lines each. */
export interface StableContribution {
  /** The name of the contribution, for prompt reports. */
  name?: string;
  stablePrefix?: string;
  replace?: { [section in ReplaceableSection]?: string };
}

/** A provider's whole contribution, including the part below the boundary. */
export interface ProviderContribution extends StableContribution {
  dynamicSuffix?: string;
}

/** The sections that a provider may replace. */
export type ReplaceableSection = "tool_call_style" | "execution_bias" | "interaction_style";

/** `memory.citations`. */
export type MemoryCitations = "on" | "off" | "auto";

export interface ModelAlias {
  alias: string;
  /** `provider/model`. */
  model: string;
}

export interface WorkspaceFacts {
  /** The path to show to the agent. */
  dir: string;
  /** True if the turn has no tool for its files. */
  closed?: boolean;
  notes: readonly string[];
}

/** The sandbox in which commands run. */
export interface SandboxFacts {
  /** The workspace's path for commands. */
  dir: string;
  access: "none" | "read-only" | "read-write";
  /** True if a command may run outside the sandbox at the user's request. */
  elevated: boolean;
  browser: boolean;
}

/** Where the product's documentation is. */
export interface DocsFacts {
  /** An address for `read`, such as `docs://index`; absent if the docs are only on the web. */
  location?: string;
  /** Their web address, if known. */
  url?: string;
  sourceUrl?: string;
  communityUrl?: string;
  /** Where to find skills. */
  skillsUrl?: string;
}

export type OutputDirective = "reply-tags" | "media" | "voice-notes";

/** What the prompt says about a channel; nothing that strangers can set, such as a group's title. */
export interface ChannelFacts {
  /** The channel's id, such as `telegram`. */
  name: string;
  kind: "direct" | "group" | "channel";
  /** `message-tool` if people see only what the message tool sends, not the reply's text. */
  replies: "automatic" | "message-tool";
  /** The names of its capabilities; sections use `approvals` and `inline-buttons`. */
  capabilities: readonly string[];
}

export interface RuntimeFacts {
  host: "cloudflare-workers" | "workerd";
  os: string;
  arch: string;
  version: string;
  shell?: string;
}

/** Whether a tool is available. */
export function hasTool(input: StableInput, name: string): boolean {
  return input.tools.some((tool) => tool.name === name);
}
