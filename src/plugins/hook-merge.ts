import type { BootstrapFile } from "../workspace/bootstrap.ts";
import type {
  BootstrapChange,
  BootstrapEvent,
  HookMap,
  MessageChange,
  MessageSendingEvent,
  ModelChange,
  PromptChange,
  ResultChange,
  ResultPersistEvent,
  SyncHookMap,
  ToolCallChange,
  ToolCallEvent,
} from "./hook-map.ts";

/** How the answers to an event are merged, in the order in which its hooks run. Pure. */
export interface MergeRule<Event, Answer> {
  /** Merges one more answer. */
  merge(before: Answer, answer: Answer): Answer;
  /** The event as the next hook sees it. */
  pass(event: Event, merged: Answer): Event;
  /** Whether the remaining hooks are skipped. */
  isFinal(merged: Answer): boolean;
  /** The answer of a hook that threw or timed out; absent if such a hook is skipped. */
  failed?(plugin: string, why: string): Answer;
}

type Rules<Points extends { [Name in keyof Points]: { event: unknown; answer: unknown } }> = {
  readonly [Name in keyof Points]: MergeRule<Points[Name]["event"], Points[Name]["answer"]>;
};

/** A rule for an event that answers do not change. */
type FixedEventRule<Answer> = Omit<MergeRule<never, Answer>, "pass">;

/** The highest priority runs first, so the first answer wins. */
const model: FixedEventRule<ModelChange> = {
  merge: (before, answer) => ({ ...answer, ...before }),
  isFinal: never,
};

/** Contexts are concatenated; the last whole prompt wins. */
const prompt: FixedEventRule<PromptChange> = {
  merge: (before, answer) => ({ ...before, ...answer, ...joinedContext(before, answer) }),
  isFinal: never,
};

const toolCall: MergeRule<ToolCallEvent, ToolCallChange> = {
  merge: (before, answer) => ({ ...before, ...answer }),
  pass: (event, { args }) => (args === undefined ? event : { ...event, args }),
  isFinal: ({ block }) => block === true,
  failed: (plugin, why) => ({ block: true, reason: `the plugin ${plugin} could not check it: ${why}` }),
};

const message: MergeRule<MessageSendingEvent, MessageChange> = {
  merge: (before, answer) => ({ ...before, ...answer }),
  pass: (event, { content }) => (content === undefined ? event : { ...event, content }),
  isFinal: ({ cancel }) => cancel === true,
};

const result: MergeRule<ResultPersistEvent, ResultChange> = {
  merge: (before, answer) => ({ ...before, ...answer }),
  pass: (event, change) => ({ ...event, ...change }),
  isFinal: never,
};

const bootstrap: MergeRule<BootstrapEvent, BootstrapChange> = {
  merge: (_, answer) => answer,
  pass: (_, { files }) => ({ files: files.map(asBootstrapFile) }),
  isFinal: never,
};

/** Answers are ignored. */
const observed: FixedEventRule<unknown> = { merge: (before) => before, isFinal: never };

/** The rule of each event. */
export const RULES: Rules<HookMap> & Rules<SyncHookMap> = {
  before_model_resolve: plain(model),
  before_prompt_build: plain(prompt),
  before_agent_start: plain(prompt),
  agent_end: plain(observed),
  before_compaction: plain(observed),
  after_compaction: plain(observed),
  before_tool_call: toolCall,
  after_tool_call: plain(observed),
  message_received: plain(observed),
  message_sending: message,
  message_sent: plain(observed),
  session_start: plain(observed),
  session_end: plain(observed),
  gateway_start: plain(observed),
  gateway_stop: plain(observed),
  "agent:bootstrap": bootstrap,
  "command:new": plain(observed),
  "command:reset": plain(observed),
  "command:stop": plain(observed),
  tool_result_persist: result,
  command: plain(observed),
};

/** A plugin's file as a bootstrap file. */
export function asBootstrapFile(file: BootstrapChange["files"][number]): BootstrapFile {
  if ("rawChars" in file) return file;
  const { length } = file.content;
  return { ...file, rawChars: length, injectedChars: length, truncated: false, missing: false };
}

function joinedContext(before: PromptChange, answer: PromptChange): PromptChange {
  const contexts = [before.prependContext, answer.prependContext].filter((text) => text !== undefined && text !== "");
  return contexts.length === 0 ? {} : { prependContext: contexts.join("\n\n") };
}

function plain<Event, Answer>(rule: FixedEventRule<Answer>): MergeRule<Event, Answer> {
  return { ...rule, pass: same };
}

function same<Value>(value: Value): Value {
  return value;
}

function never(): boolean {
  return false;
}
