import type { Target } from "../channels/channel.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ImageRef, Message, ToolMessage, Usage } from "../models/message.ts";
import type { SystemPrompt } from "../models/model.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";

/** An event, and what a hook may answer to it. `unknown` means that nobody listens to the answer. */
interface HookPoint<Event, Answer = unknown> {
  event: Event;
  answer: Answer;
}

/**
 * The moments in which plugins take part, with what they are told and what they may change. A hook may take up to
 * `HOOK_TIMEOUT_MS`; one that throws or takes longer is logged and skipped, except before a tool call.
 *
 * A turn that goes on after a crash, or after a person's word, begins at `before_model_resolve` again. What runs "at
 * least once" runs again where its end was not stored; what runs "at most once" is lost with an object that dies.
 */
export interface HookMap {
  /** Before a turn takes its model. May name another one of a configured provider; the highest priority wins. */
  before_model_resolve: HookPoint<ModelChoiceEvent, ModelChange>;
  /** Once the system prompt is rendered. May put text above its changing part, or replace it. */
  before_prompt_build: HookPoint<PromptEvent, PromptChange>;
  /** The last look before the model is asked for the first time in a turn; may do what `before_prompt_build` may. */
  before_agent_start: HookPoint<PromptEvent, PromptChange>;
  /** Once the end of a turn is stored; nothing waits for it. At most once. */
  agent_end: HookPoint<AgentEndEvent>;
  /** Before the older part of a conversation is summarized. Again after a crash. */
  before_compaction: HookPoint<CompactionStartEvent>;
  /** Once the summary is stored. At most once. */
  after_compaction: HookPoint<CompactionEndEvent>;
  /**
   * Right before a call is launched, and before a person is asked about it; a call that they allowed runs with what they
   * saw. `block: true` ends it: nobody of lower priority is asked. Changed arguments are what the next one sees. Whoever
   * throws or takes too long blocks. Again where a call is run again after a crash.
   */
  before_tool_call: HookPoint<ToolCallEvent, ToolCallChange>;
  /** Once the result of a call is stored. At most once. */
  after_tool_call: HookPoint<ToolResultEvent>;
  /** Once a message is stored; nothing waits for it, and a command that acts at once is none. At most once. */
  message_received: HookPoint<MessageReceivedEvent>;
  /**
   * Before a text leaves for a channel, whole and as Markdown: replies, which then do not leave in blocks, what is told of
   * tool calls, what the message tool sends, answers of commands, questions to a person. `cancel: true` ends it: it is not sent. Changed content is what the next
   * one sees. The transcript keeps what the model said. Again where a crash comes before what is sent is stored.
   */
  message_sending: HookPoint<MessageSendingEvent, MessageChange>;
  /** After each attempt to deliver a part, with its outcome. At most once. */
  message_sent: HookPoint<MessageSentEvent>;
  /** A conversation begins, under a session id of its own. At least once. */
  session_start: HookPoint<SessionBoundaryEvent>;
  /** A conversation is over: it was begun anew. At least once. */
  session_end: HookPoint<SessionBoundaryEvent>;
  /** Once for each deployment and agent, after its first turn; again where that was interrupted. */
  gateway_start: HookPoint<GatewayEvent>;
  /** Never: a function on the edge is not told when it ends. Declared because plugins know it from OpenClaw. */
  gateway_stop: HookPoint<GatewayEvent>;
  /** The workspace files that the prompt is to show. May answer with others, which are cut to the same limits. */
  "agent:bootstrap": HookPoint<BootstrapEvent, BootstrapChange>;
  /** A conversation was begun anew by `/new`. At least once. */
  "command:new": HookPoint<SessionResetEvent>;
  /** A conversation was begun anew by `/reset`. At least once. */
  "command:reset": HookPoint<SessionResetEvent>;
  /** Runs were stopped by `/stop`. At most once. */
  "command:stop": HookPoint<StopEvent>;
}

/** The moments that cannot wait: a hook answers at once, and a promise is refused. */
export interface SyncHookMap {
  /** Before the result of a call is bounded, stored and shown. May answer with another, which the next one sees. */
  tool_result_persist: HookPoint<ResultPersistEvent, ResultChange>;
  /** A command was given; part of the commit that records it, so exactly once. */
  command: HookPoint<CommandEvent>;
}

export type HookName = keyof HookMap;
export type SyncHookName = keyof SyncHookMap;

export interface ModelChoiceEvent {
  /** `provider/model` that would be asked. */
  model: string;
  /** What the turn is about: the text that began it. */
  text: string;
}

export interface ModelChange {
  /** A model at the same provider (or at `providerOverride`), or `provider/model`. */
  modelOverride?: string;
  providerOverride?: string;
}

export interface PromptEvent {
  /** As it stands, without what hooks of this event have said. */
  system: SystemPrompt;
  /** `provider/model` that will be asked. */
  model: string;
  /** What the model will see of the conversation, oldest first. */
  messages: readonly Message[];
}

export interface PromptChange {
  /** Put in place of the whole system prompt; the last one to say so wins. */
  systemPrompt?: string;
  /** Put above the part of the prompt that changes from turn to turn; of several, in order, a blank line between. */
  prependContext?: string;
}

export interface AgentEndEvent {
  status: "ok" | "error" | "aborted" | "timeout";
  /** What the next turn would see of the conversation, oldest first. */
  messages: readonly Message[];
  /** `provider/model` that answered; absent where none did. */
  model?: string;
  usage: Usage;
  /** Why it did not end well. */
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
  /** Why it is blocked, for the model. */
  reason?: string;
  /** Instead of those that the model gave; they are checked against the tool's schema. */
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
  /** `[]` takes all of them out. */
  images?: readonly ImageRef[];
  isError?: boolean;
}

export interface MessageReceivedEvent {
  text: string;
  sender?: { id: string; name?: string; owner: boolean };
  /** Where it came from; absent for the API and the page. */
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
  /** All the files that are to be shown, in order; one that was in the event may be handed on as it is. */
  files: readonly (BootstrapFile | { path: string; content: string })[];
}

export interface SessionResetEvent {
  /** The conversation that is over. */
  endedSessionId: string;
  startedSessionId: string;
  /** Where the command was typed: a channel's id, or `api`. */
  source: string;
  /** When it was typed, in milliseconds since the epoch. */
  at: number;
  /** What people and the agent said in the conversation that is over: its newest messages, oldest first. */
  messages(limit: number): readonly SpokenMessage[];
}

/** Something that was said aloud: no command, no tool's output, no reasoning. */
export interface SpokenMessage {
  role: "user" | "assistant";
  at: number;
  text: string;
  /** Whether an owner said it; absent for the agent, and where nobody knows. */
  owner?: boolean;
}

export interface StopEvent {
  /** How many runs were stopped, and how many sub-agents. */
  runs: number;
  subagents: number;
}

export interface CommandEvent {
  /** Without its slash. */
  name: string;
  /** What was typed after it. */
  args: string;
  /** Who gave it: `channel:id`, or `api`. */
  by: string;
  /** Where: a channel's id, or `api`. */
  source: string;
}
