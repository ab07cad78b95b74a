import type { ThinkingLevel } from "../models/model.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";

/** How much of the prompt a run gets: all of it, what a sub-agent or a job needs, or the identity line. */
export type PromptMode = "full" | "minimal" | "none";

/**
 * What stands still from turn to turn, and therefore all that a section above the cache boundary may read. Two turns
 * of one session, and two sessions of one agent on one kind of channel, have the same `StableInput`.
 */
export interface StableInput {
  mode: PromptMode;
  /** Whom the agent believes to run inside; `prompt.productName`. */
  productName: string;
  /** The tools that policy leaves on, in any order. */
  tools: readonly PromptTool[];
  /** True where a command in the background wakes the agent when it ends or fails. */
  completionWake: boolean;
  provider: StableContribution;
  /** The `<available_skills>` list as the skills room made it; absent when no skill is eligible. */
  skillsPrompt?: string;
  memoryCitations: MemoryCitations;
  /** Chat commands that exist here, with their slash. */
  commands: readonly string[];
  modelAliases: readonly ModelAlias[];
  workspace: WorkspaceFacts;
  sandbox?: SandboxFacts;
  docs?: DocsFacts;
  /** Ids of the owners as they are to be shown: raw, or hashed already. */
  authorizedSenders: readonly string[];
  /** An IANA zone. */
  timezone?: string;
  /** What the way out understands in the text of a reply. */
  outputDirectives: readonly OutputDirective[];
  /** Filtered, cut and in order. */
  bootstrapFiles: readonly BootstrapFile[];
  /** What is wrong with workspace files, in sentences. */
  fileWarnings?: readonly string[];
}

/** Everything that a system prompt is made of: plain data, resolved by whoever calls the renderer. */
export interface PromptInput extends StableInput {
  agentId: string;
  sessionKey: string;
  provider: ProviderContribution;
  /** `provider/model` of this turn. */
  model: string;
  thinking: ThinkingLevel;
  /** Whether people see the model's reasoning. */
  reasoning: "off" | "on" | "stream";
  /** True where the model must mark its reasoning with tags, because its wire format has no place for it. */
  reasoningTags: boolean;
  runtime: RuntimeFacts;
  /** Where the reply goes; absent for a run that nobody listens to. */
  channel?: ChannelFacts;
  /** How to write for a voice that reads the reply aloud. */
  voiceHint?: string;
  /** What a group's configuration, or the parent of a sub-agent, adds. */
  extraContext?: string;
  /** How freely to react with emojis; absent where the channel has no reactions. */
  reactions?: "minimal" | "extensive";
  /** The question that heartbeats ask; absent where the agent has none. */
  heartbeatPrompt?: string;
  delegation: "suggest" | "prefer";
  /** Sections of AGENTS.md to be shown again, because what the agent had read of it was summarized. */
  agentsRefresh?: string;
  /** `bootstrapPromptTruncationWarning`. */
  truncationWarning: "off" | "once" | "always";
  /** True once this session was told about the files that are cut now. */
  truncationWarned: boolean;
}

/** A tool as the prompt lists it. */
export interface PromptTool {
  name: string;
  /** One line. */
  summary: string;
}

/** What a model's provider says in place of, and above, our own sections. Several lines each. */
export interface StableContribution {
  /** Whose words these are, for whoever looks at the prompt. */
  name?: string;
  stablePrefix?: string;
  replace?: { [section in ReplaceableSection]?: string };
}

/** A provider's whole contribution: also what follows the boundary. */
export interface ProviderContribution extends StableContribution {
  dynamicSuffix?: string;
}

/** The sections that a provider may say in its own words. */
export type ReplaceableSection = "tool_call_style" | "execution_bias" | "interaction_style";

/** `memory.citations`. */
export type MemoryCitations = "on" | "off" | "auto";

export interface ModelAlias {
  alias: string;
  /** `provider/model`. */
  model: string;
}

export interface WorkspaceFacts {
  /** As the agent is to call it. */
  dir: string;
  /** True where the turn has no tool that reaches its files. */
  closed?: boolean;
  notes: readonly string[];
}

/** A sandbox in which commands run, where there is one. */
export interface SandboxFacts {
  /** Where commands see the workspace. */
  dir: string;
  access: "none" | "read-only" | "read-write";
  /** True where a command may run outside the sandbox when the user asks for it. */
  elevated: boolean;
  browser: boolean;
}

/** Where the product's documentation is. */
export interface DocsFacts {
  /** What `read` takes, such as `docs://index`; absent where only the web has them. */
  location?: string;
  /** Where people find them, where that is known. */
  url?: string;
  sourceUrl?: string;
  communityUrl?: string;
  /** Where skills are found. */
  skillsUrl?: string;
}

export type OutputDirective = "reply-tags" | "media" | "voice-notes";

/** What a channel is for a prompt; nothing that strangers can set, such as a group's title. */
export interface ChannelFacts {
  /** The channel's id, such as `telegram`. */
  name: string;
  kind: "direct" | "group" | "channel";
  /** `message-tool` where only what the message tool sends is seen, not the reply's text. */
  replies: "automatic" | "message-tool";
  /** Names of what it can do; sections know `approvals` and `inline-buttons`. */
  capabilities: readonly string[];
}

export interface RuntimeFacts {
  host: "cloudflare-workers" | "workerd";
  os: string;
  arch: string;
  version: string;
  shell?: string;
}

/** Whether a tool is on. */
export function hasTool(input: StableInput, name: string): boolean {
  return input.tools.some((tool) => tool.name === name);
}
