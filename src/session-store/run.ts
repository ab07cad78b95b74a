import type { RunError } from "../agent/run-error.ts";
import type { GrantScope } from "../agent/tool.ts";
import { type OriginKind, originRules, type QueueClass } from "../config/origins.ts";
import type { JsonObject } from "../lib/json.ts";
import { addUsage, NO_USAGE, type Usage } from "../models/message.ts";
import type { ThinkingLevel } from "../models/model.ts";
import type { Operations } from "../services/operations.ts";
import type { DropReason } from "./queue.ts";
import type { ClientWishes, RunInput, RunOrigin } from "./run-input.ts";

/** Consecutive crashes without progress after which a run is given up. */
export const MAX_CRASHES = 5;
/** Most prompts that are kept of one run, the last ones. */
const MAX_PROMPTS = 8;

/** The state of a run. `queued`, `running` and `waiting_approval` are open; all others are final. */
export type RunState = QueuedRun | RunningRun | PausedRun | SettledRun;
export type SettledRun = EndedRun | MergedRun | DroppedRun;

export interface QueuedRun {
  status: "queued";
  /** Whether the session was busy when it arrived. */
  behind: boolean;
  /** Its class in the queue; absent for a message. */
  queueClass?: Exclude<QueueClass, "message">;
  /** The length of its text, in UTF-16 units; absent in older rows. */
  chars?: number;
  /** Before this instant, in milliseconds since the epoch, more of the same sender is waited for. */
  heldUntil?: number;
  /** Set while its files are to be fetched. */
  hasFiles?: true;
  /** How often its files were begun to be fetched. */
  fileAttempts?: number;
}

/** The progress of a begun run. */
export interface RunProgress {
  startedAt: number;
  /** Number of the event that began it. */
  startSeq: number;
  model?: string;
  thinking?: ThinkingLevel;
  /** Launched tool calls of the last reply. */
  launched: string[];
  /** The approvals of the last reply's calls. */
  approvals: Approval[];
  /** Crashes since the last progress, and the newest number then. */
  crashes: number;
  crashSeq: number;
  usage: Usage;
  /** Where the run comes from; absent for a person's message. */
  origin?: RunOrigin;
  /** Extra context for the model of this run only. */
  extraContext?: string;
  client?: ClientWishes;
  /** Its conversation; absent in runs that are older than this field. */
  sessionId?: string;
  /** The conversation that ended when it began, if one did. */
  ended?: EndedConversation;
  /** The current memory flush. */
  flush?: { fromSeq: number; replies: number };
  /** Its input, where it may have to give way and go on later. */
  again?: RunInput;
  /** Prompts that its model was sent: several where they changed after a crash or an approval. */
  prompts?: readonly PromptRef[];
}

/**
 * What a model is sent besides the conversation. Hashes are SHA-256 in hex; the texts of the last three are stored
 * under them.
 */
export interface PromptRef {
  /** Of the whole system prompt, with the line of the cache boundary. */
  hash: string;
  /** Of its layers, and of the JSON of the tools. */
  stable: string;
  dynamic: string;
  tools: string;
  /** `provider/model` that it was made for; after a failover another one may have answered. */
  model: string;
}

/** An ended conversation and its range in the transcript. */
export interface EndedConversation {
  sessionId: string;
  /** Number of its first event, and of the first after it. */
  fromSeq: number;
  beforeSeq: number;
}

export interface RunningRun extends RunProgress {
  status: "running";
  /** When it times out, in milliseconds since the epoch; undefined means no limit. */
  deadline?: number;
  /** When the deadline was set; absent since it began. */
  clockSetAt?: number;
  /** Set when a stop was requested; it survives a crash. */
  abortRequested?: boolean;
}

/** A run that waits for an approval; its timeout is suspended. */
export interface PausedRun extends RunProgress {
  status: "waiting_approval";
  /** The remaining time; undefined means no limit. */
  remainingMs?: number;
}

/** A tool call that needs approval, and the decision once there is one. */
export interface Approval {
  /** `apr_…` */
  id: string;
  callId: string;
  tool: string;
  args: JsonObject;
  question: string;
  /** What "always" would allow; absent if it is not offered. */
  grant?: GrantScope;
  requestedAt: number;
  decision?: Decision;
}

export type Decision = "allow-once" | "allow-always" | "deny";

export interface EndedRun {
  status: "ok" | "error" | "aborted" | "timeout";
  startedAt?: number;
  startSeq?: number;
  sessionId?: string;
  endedAt: number;
  /** Number of the event that ended it. */
  endSeq: number;
  model?: string;
  usage: Usage;
  error?: RunError;
  /** The prompts of its model. */
  prompts?: readonly PromptRef[];
  /** What it used of the platform since its object last began or resumed it. */
  operations?: Operations;
  /** Of a heartbeat: whether it had nothing to say, or only what it had said before. */
  isQuiet?: true;
  /** The kind of run that it was; absent for a person's message. */
  from?: OriginKind;
  /** Where the run came from, if the clock has started it. */
  origin?: RunOrigin;
}

/** Its message was merged into another run, which ends for both. */
export interface MergedRun {
  status: "joined";
  intoRunId: string;
  /** Where the run came from; absent for a person's message. */
  origin?: RunOrigin;
  endedAt: number;
  endSeq: number;
}

/** It was dropped from the queue and never ran. */
export interface DroppedRun {
  status: "dropped";
  reason: DropReason;
  endedAt: number;
  endSeq: number;
}

/** The beginning of a run in the transcript. */
export interface RunStart {
  /** Number of the event that began it. */
  startSeq: number;
  /** Its conversation. */
  sessionId: string;
  /** The conversation that ended for it. */
  ended?: EndedConversation;
}

/** The end of a run. */
export interface RunEnding {
  status: EndedRun["status"];
  endedAt: number;
  endSeq: number;
  /** Usage that is not yet part of the run's state. */
  usage: Usage;
  model?: string;
  error?: RunError;
  operations?: Operations;
  isQuiet?: true;
}

/** Whether a run has ended. */
export function isSettled(state: RunState): state is SettledRun {
  return state.status !== "queued" && !isBegun(state);
}

/** Whether a run has begun and not ended: it occupies its session. */
export function isBegun(state: RunState): state is RunningRun | PausedRun {
  return state.status === "running" || state.status === "waiting_approval";
}

/** An ended run with what it has used of the platform; any other run as it is. */
export function withOperations(state: RunState, operations: Operations | undefined): RunState {
  return operations !== undefined && isSettled(state) && "usage" in state ? { ...state, operations } : state;
}

/** Starts a queued run. */
export function begin(now: number, { startSeq, sessionId, ended }: RunStart, input: RunInput): RunningRun {
  const { timeoutSeconds, model, thinking, origin, extraContext, client } = input;
  return {
    status: "running",
    startedAt: now,
    startSeq,
    sessionId,
    ...(timeoutSeconds > 0 && { deadline: now + timeoutSeconds * 1000 }),
    ...(model !== undefined && { model }),
    ...(thinking && { thinking }),
    ...(origin && { origin }),
    ...(extraContext !== undefined && { extraContext }),
    ...(client && { client }),
    ...(ended && { ended }),
    ...(originRules(origin).queueClass === "background" && { again: input }),
    launched: [],
    approvals: [],
    crashes: 0,
    crashSeq: startSeq,
    usage: input.spent ?? NO_USAGE,
  };
}

/**
 * A new incarnation found the run running: one more crash, or the first one where there was progress since the last.
 * Its clock stood still from its newest message until now.
 */
export function crashed(run: RunningRun, { lastSeq, keptSeq = lastSeq, lastAt, now }: LastWork): RunningRun {
  const { deadline, startedAt, clockSetAt = startedAt } = run;
  const workedUntil = Math.max(lastAt, clockSetAt);
  return {
    ...run,
    crashes: lastSeq > run.crashSeq ? 1 : run.crashes + 1,
    crashSeq: keptSeq,
    ...(deadline !== undefined && { deadline: deadline + Math.max(0, now - workedUntil), clockSetAt: now }),
  };
}

/** How far a run had come when the incarnation that worked on it died. */
interface LastWork {
  /** Number of its newest message. */
  lastSeq: number;
  /** Number of an interrupted reply that was kept because it was partly delivered, which is no progress. */
  keptSeq?: number | undefined;
  /** When its newest message was stored; 0 if it has none. */
  lastAt: number;
  now: number;
}

/** A reply is stored: its tokens count, and its calls replace those of the reply before. */
export function replied(run: RunningRun, usage: Usage): RunningRun {
  const { flush } = run;
  const more = flush && { flush: { ...flush, replies: flush.replies + 1 } };
  return { ...run, usage: addUsage(run.usage, usage), launched: [], approvals: [], ...more };
}

/** The model is about to be sent this prompt. */
export function prompted<State extends RunningRun | PausedRun>(run: State, prompt: PromptRef): State {
  const { prompts = [] } = run;
  const last = prompts.at(-1);
  if (last?.hash === prompt.hash && last.tools === prompt.tools) return run;
  return { ...run, prompts: [...prompts, prompt].slice(-MAX_PROMPTS) };
}

/** The prompts of a run, oldest first. */
export function promptsIn(state: RunState): readonly PromptRef[] {
  return "prompts" in state ? (state.prompts ?? []) : [];
}

/** Adds usage of a call that is not part of the reply, such as a summary. */
export function spent(run: RunningRun, usage: Usage): RunningRun {
  return { ...run, usage: addUsage(run.usage, usage) };
}

/** A memory flush begins: messages from this number on belong to it. */
export function flushing(run: RunningRun, fromSeq: number): RunningRun {
  return { ...run, flush: { fromSeq, replies: 0 } };
}

/** The memory flush ends. */
export function flushed({ flush: _, ...run }: RunningRun): RunningRun {
  return run;
}

/** Calls of the last reply are launched. */
export function launched(run: RunningRun, callIds: readonly string[]): RunningRun {
  return { ...run, launched: [...run.launched, ...callIds] };
}

/** The run needs approval before it continues. */
export function paused(run: RunningRun, approvals: readonly Approval[], now: number): PausedRun {
  const { status: _, deadline, clockSetAt: ___, abortRequested: __, ...progress } = run;
  return {
    ...progress,
    status: "waiting_approval",
    approvals: [...run.approvals, ...approvals],
    ...(deadline !== undefined && { remainingMs: Math.max(0, deadline - now) }),
  };
}

/** A call was decided. With the last decision the run and its timeout continue. */
export function decided(run: PausedRun, approvalId: string, decision: Decision, now: number): PausedRun | RunningRun {
  const approvals = run.approvals.map((approval) =>
    approval.id === approvalId && approval.decision === undefined ? { ...approval, decision } : approval,
  );
  if (approvals.some((approval) => approval.decision === undefined)) return { ...run, approvals };
  const { remainingMs, ...progress } = run;
  return {
    ...progress,
    approvals,
    status: "running",
    ...(remainingMs !== undefined && { deadline: now + remainingMs, clockSetAt: now }),
  };
}

/** The usage of a run with that of one more call. */
export function usageWith(state: RunState, usage: Usage): Usage {
  return isBegun(state) ? addUsage(state.usage, usage) : usage;
}

/** Ends a run. A settled run stays as it is, so that there is exactly one outcome. */
export function end(state: RunState, ending: RunEnding): SettledRun {
  if (isSettled(state)) return state;
  if (!isBegun(state)) return ending;
  const { startedAt, startSeq, sessionId, prompts, origin } = state;
  return {
    ...ending,
    ...(origin && { from: origin.kind }),
    ...(origin && "slot" in origin && { origin }),
    startedAt,
    startSeq,
    ...(sessionId !== undefined && { sessionId }),
    ...(prompts && { prompts }),
    usage: usageWith(state, ending.usage),
  };
}
