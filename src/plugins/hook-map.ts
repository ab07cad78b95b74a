import type { Target } from "../channels/channel.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ImageRef, Message, ToolMessage, Usage } from "../models/message.ts";
import type { SystemPrompt } from "../models/model.ts";
import type { Label } from "../security/labels.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";

/** An event and the answer that a hook may return. `unknown` means that the answer is ignored. */
interface HookPoint<Event, Answer = unknown> {
  event: Event;
  answer: Answer;
}

/**
 * The events of plugins with their payloads and answers. A hook may take up to `HOOK_TIMEOUT_MS`; one that throws or
 * takes longer is logged and skipped, except before a tool call.
 *
 * A turn that resumes after a crash or an approval starts at `before_model_resolve` again. Events "at least once" run
 * again if their completion was not stored; events "at most once" are lost if the object dies.
 */
export interface HookMap {
  /** Before a turn resolves its model. May choose another model of a configured provider; the highest priority wins. */
  before_model_resolve: HookPoint<ModelChoiceEvent, ModelChange>;
  /** After the system prompt is rendered. May add text above its dynamic part, or replace it. */
  before_prompt_build: HookPoint<PromptEvent, PromptChange>;
  /** Before the first model request of a turn; may change what `before_prompt_build` may. */
  before_agent_start: HookPoint<PromptEvent, PromptChange>;
  /** After the end of a turn is stored; nothing waits for it. At most once. */
  agent_end: HookPoint<AgentEndEvent>;
  /** Before the older part of a conversation is summarized. Repeated after a crash. */
  before_compaction: HookPoint<CompactionStartEvent>;
  /** After the summary is stored. At most once. */
  after_compaction: HookPoint<CompactionEndEvent>;
  /**
   * Right before a tool call starts, and before its approval is requested; an approved call runs with the arguments
   * that were approved. `block: true` ends it: hooks of lower priority are not asked. Each hook sees the arguments as
   * changed by those before it. A hook that throws or times out blocks the call. Repeated if the call is repeated after
   * a crash.
   */
  before_tool_call: HookPoint<ToolCallEvent, ToolCallChange>;
  /** After the result of a call is stored. At most once. */
  after_tool_call: HookPoint<ToolResultEvent>;
  /** After an inbound message is stored; nothing waits for it. Not for commands that act at once. At most once. */
  message_received: HookPoint<MessageReceivedEvent>;
  /**
   * Before a text is sent to a channel, whole and as Markdown: replies (which then are not sent in blocks), progress on
   * tool calls, texts of the message tool, answers of commands, approval questions. `cancel: true` ends it: the text is
   * not sent. Each hook sees the content as changed by those before it. The transcript keeps the model's own text.
   * Repeated if a crash comes before the sent text is stored.
   */
  message_sending: HookPoint<MessageSendingEvent, MessageChange>;
  /** After each attempt to deliver a part, with its outcome. At most once. */
  message_sent: HookPoint<MessageSentEvent>;
  /** A conversation begins, with a session id of its own. At least once. */
  session_start: HookPoint<SessionBoundaryEvent>;
  /** A conversation was ended by a reset. At least once. */
  session_end: HookPoint<SessionBoundaryEvent>;
  /** Once per deployment and agent, after its first turn; repeated if it was interrupted. */
  gateway_start: HookPoint<GatewayEvent>;
  /** Never fires: a Worker gets no event when it ends. Declared because OpenClaw's plugins register for it. */
  gateway_stop: HookPoint<GatewayEvent>;
  /** The workspace files for the prompt. May answer with others, which are cut to the same limits. */
  "agent:bootstrap": HookPoint<BootstrapEvent, BootstrapChange>;
  /** `/new` started a new conversation. At least once. */
  "command:new": HookPoint<SessionResetEvent>;
  /** `/reset` started a new conversation. At least once. */
  "command:reset": HookPoint<SessionResetEvent>;
  /** `/stop` stopped runs. At most once. */
  "command:stop": HookPoint<StopEvent>;
}

/** Synchronous events: a hook answers at once, and a promise is refused. */
export interface SyncHookMap {
  /**
   * Before the result of a call is cut to size, stored and shown. Each hook sees the result as changed by those before
   * it.
   */
  tool_result_persist: HookPoint<ResultPersistEvent, ResultChange>;
  /** A command was accepted; part of the commit that records it, so exactly once. */
  command: HookPoint<CommandEvent>;
}

export type HookName = keyof HookMap;
export type SyncHookName = keyof SyncHookMap;

export interface ModelChoiceEvent {
  /** The `provider/model` chosen so far. */
  model: string;
  /** The message that started the turn. */
  text: string;
}

export interface ModelChange {
  /** A model at the same provider (or at `providerOverride`), or `provider/model`. */
  modelOverride?: string;
  providerOverride?: string;
}

export interface PromptEvent {
  /** The prompt before any hook of this event changed it. */
  system: SystemPrompt;
  /** The `provider/model` of the request. */
  model: string;
  /** The conversation as the model will see it, oldest first. */
  messages: readonly Message[];
}

export interface PromptChange {
  /** Replaces the whole system prompt; the last hook wins. */
  systemPrompt?: string;
  /** Added above the dynamic part of the prompt; several are joined in order with blank lines. */
  prependContext?: string;
}

export interface AgentEndEvent {
  status: "ok" | "error" | "aborted" | "timeout";
  /** The conversation as the next turn would see it, oldest first. */
  messages: readonly Message[];
  /** The `provider/model` that answered; absent if none did. */
  model?: string;
  usage: Usage;
  /** The error, if the status is not `ok`. */
  error?: string;
  durationMs: number;
}

export interface CompactionStartEvent {
  reason: "threshold" | "overflow" | "command";
  tokensBefore: number;
}

export interface CompactionEndEvent extends CompactionStartEvent {
  tokensAfter: number;
}

export interface ToolCallEvent {
  callId: string;
  tool: string;
  args: JsonObject;
}

export interface ToolCallChange {
  block?: boolean;
  /** The reason for the model. */
  reason?: string;
  /** Replaces the arguments; checked against the tool's schema. */
  args?: JsonObject;
}

export interface ToolResultEvent extends ToolCallEvent {
  result: ToolMessage;
}

export interface ResultPersistEvent extends ToolCallEvent {
  text: string;
  images?: readonly ImageRef[];
  isError: boolean;
}

export interface ResultChange {
  text?: string;
  /** `[]` removes all images. */
  images?: readonly ImageRef[];
  isError?: boolean;
}

export interface MessageReceivedEvent {
  text: string;
  sender?: { id: string; name?: string; owner: boolean };
  /** The conversation; absent for the API and the page. */
  target?: Target;
}

export interface MessageSendingEvent {
  /** Markdown. */
  content: string;
  target: Target;
}

export interface MessageChange {
  cancel?: boolean;
  content?: string;
}

export interface MessageSentEvent {
  /** In the channel's own markup. */
  content: string;
  target: Target;
  deliveryId: string;
  outcome: "delivered" | "retry" | "failed" | "unsure";
  reason?: string;
}

export interface SessionBoundaryEvent {
  sessionId: string;
  reason: "created" | "new" | "reset" | "daily" | "idle";
}

export interface GatewayEvent {
  /** The deployed version. */
  version: string;
}

export interface BootstrapEvent {
  files: readonly BootstrapFile[];
}

export interface BootstrapChange {
  /** All files to show, in order; files of the event may be returned unchanged. */
  files: readonly (BootstrapFile | { path: string; content: string })[];
}

export interface SessionResetEvent {
  /** The session id of the ended conversation. */
  endedSessionId: string;
  startedSessionId: string;
  /** The origin of the command: a channel's id, or `api`. */
  source: string;
  /** When the command was sent, in milliseconds since the epoch. */
  at: number;
  /** The newest visible messages of the ended conversation, oldest first. */
  messages(limit: number): readonly SpokenMessage[];
}

/** A visible message: no command, tool output or reasoning. */
export interface SpokenMessage {
  role: "user" | "assistant";
  at: number;
  text: string;
  /** Whether the sender is an owner; absent for the agent, and where unknown. */
  owner?: boolean;
  /** Where its words come from, as far as they are not the owner's or the agent's own. */
  labels?: readonly Label[];
}

export interface StopEvent {
  /** Stopped runs, and stopped sub-agents. */
  runs: number;
  subagents: number;
}

export interface CommandEvent {
  /** Without its slash. */
  name: string;
  /** The text after the name. */
  args: string;
  /** The sender: `channel:id`, or `api`. */
  by: string;
  /** The origin: a channel's id, or `api`. */
  source: string;
}
