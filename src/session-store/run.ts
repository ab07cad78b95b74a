import type { RunError } from "../agent/events.ts";
import type { Target } from "../channels/channel.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Usage } from "../models/message.ts";
import { addUsage, NO_USAGE } from "../models/message.ts";
import type { ThinkingLevel } from "../models/model.ts";
import type { DropReason, QueueClass } from "./queue.ts";

/** Crashes in a row, with nothing finished between them, after which a run is given up. */
export const MAX_CRASHES = 5;
/** Most prompts that one run remembers, the last ones. */
const MAX_PROMPTS = 8;

/** What a run was asked. */
export interface RunInput {
  text: string;
  images?: { path: string; mediaType: string }[];
  sender?: { id: string; name?: string; owner: boolean };
  /** `provider/model` to ask instead of the agent's own. */
  model?: string;
  thinking?: ThinkingLevel;
  /** Longest time of the run; 0 means no limit. */
  timeoutSeconds: number;
  /** What the system itself says, and on whose behalf: such a turn never puts a session's reset off. */
  origin?: RunOrigin;
  /** Set where it shares its turn with no other message, because no model is to answer it. */
  alone?: true;
  /** Told to the model of this run only, below the cache boundary. */
  extraContext?: string;
  /** Messages that gave way to this one when too many waited: how many, and how the last of them began. */
  dropped?: { count: number; begins: string[] };
}

/** What a run comes from that is not simply somebody who said something. */
export type RunOrigin =
  /** A command that has to wait for its turn; `args` is what was typed after its name. */
  | { kind: "command"; name: string; args: string }
  /** A command that begins the conversation anew; the run is the first turn there. */
  | { kind: "reset"; name: string; args: string }
  /** The end of a sub-agent. */
  | { kind: "announcement"; childKey: string; childRunId: string }
  /** What a sub-agent was started with, or was told by who started it, and where people wait for what comes of it. */
  | { kind: "spawn"; byRunId: string; spawned: Spawned; people?: Target }
  /** Another session's agent, and how often such a message has led to another by then. */
  | { kind: "nested"; fromKey: string; hops: number }
  /** What was sent to this session's people from another one; it is kept here, and no model is asked. */
  | { kind: "delivery"; fromKey: string; text: string }
  /** What BOOT.md says, once for each deployment. */
  | { kind: "boot" };

/** Where a sub-agent comes from. */
export interface Spawned {
  /** Its ancestors' session keys: first who started it, then who started that one, up to a conversation. */
  lineage: string[];
  label: string;
}

/** The life of a run. `queued`, `running` and `waiting_approval` go on; all others are final and never change. */
export type RunState = QueuedRun | RunningRun | PausedRun | SettledRun;
export type SettledRun = EndedRun | MergedRun | DroppedRun;

export interface QueuedRun {
  status: "queued";
  /** Whether the session was busy when it came. */
  behind: boolean;
  /** How it waits; absent for a message. */
  queueClass?: Exclude<QueueClass, "message">;
}

/** What a run knows of itself while it is at work. */
export interface RunProgress {
  startedAt: number;
  /** Number of the event that began it. */
  startSeq: number;
  model?: string;
  thinking?: ThinkingLevel;
  /** Tool calls of the last reply that were launched. */
  launched: string[];
  /** What people said of the calls of the last reply that need their word. */
  approvals: Approval[];
  /** Crashes since something was last finished, and how far it had come then. */
  crashes: number;
  crashSeq: number;
  usage: Usage;
  /** What it comes from, where that is not simply somebody who said something. */
  origin?: RunOrigin;
  /** Told to the model of this run only. */
  extraContext?: string;
  /** The conversation that it is part of; absent in runs of before this was noted. */
  sessionId?: string;
  /** The conversation that ended when it began, where one did. */
  ended?: EndedConversation;
  /** The memory flush that is going on. */
  flush?: { fromSeq: number; replies: number };
  /** What its model was sent: more than one where it went on after a crash or a person's word, and something had changed. */
  prompts?: readonly PromptRef[];
}

/** What a run's model is sent besides the conversation. Hashes are SHA-256 in hex; the last three are kept under them. */
export interface PromptRef {
  /** Of the whole system prompt, with the line of the cache boundary. */
  hash: string;
  /** Of its layers, and of the JSON of the tools. */
  stable: string;
  dynamic: string;
  tools: string;
  /** `provider/model` that it was made for; another one may have answered in its place. */
  model: string;
}

/** A conversation that is over: where it is in the transcript. */
export interface EndedConversation {
  sessionId: string;
  /** Number of its first event, and the first that is not its own any more. */
  fromSeq: number;
  beforeSeq: number;
}

export interface RunningRun extends RunProgress {
  status: "running";
  /** When it has to be done, in milliseconds since the epoch; undefined means no limit. */
  deadline?: number;
  /** Set when somebody asked to stop it; it holds over a crash. */
  abortRequested?: boolean;
}

/** A run that waits for a person; its clock stands still. */
export interface PausedRun extends RunProgress {
  status: "waiting_approval";
  /** What was left of its time; undefined means no limit. */
  remainingMs?: number;
}

/** A tool call that needs a person's word, and that word once it is there. */
export interface Approval {
  /** `apr_…` */
  id: string;
  callId: string;
  tool: string;
  args: JsonObject;
  question: string;
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
  /** What its model was sent. */
  prompts?: readonly PromptRef[];
}

/** Its message was taken up by another run, whose end is its end. */
export interface MergedRun {
  status: "joined";
  intoRunId: string;
  /** What it came from, where that is not simply somebody who said something. */
  origin?: RunOrigin;
  endedAt: number;
  endSeq: number;
}

/** It gave way to others and never ran. */
export interface DroppedRun {
  status: "dropped";
  reason: DropReason;
  endedAt: number;
  endSeq: number;
}

/** How a run's beginning stands in the transcript. */
export interface RunStart {
  /** Number of the event that began it. */
  startSeq: number;
  /** The conversation that it is part of. */
  sessionId: string;
  /** The conversation that ended for it. */
  ended?: EndedConversation;
}

/** How a run came to its end. */
export interface RunEnding {
  status: EndedRun["status"];
  endedAt: number;
  endSeq: number;
  /** Tokens that no step before accounted for. */
  usage: Usage;
  model?: string;
  error?: RunError;
}

/** Whether nothing is left to be done for a run. */
export function isSettled(state: RunState): state is SettledRun {
  return state.status !== "queued" && !isBegun(state);
}

/** Whether a run holds its session. */
export function isBegun(state: RunState): state is RunningRun | PausedRun {
  return state.status === "running" || state.status === "waiting_approval";
}

/** A queued run takes its turn. */
export function begin(now: number, { startSeq, sessionId, ended }: RunStart, input: RunInput): RunningRun {
  const { timeoutSeconds, model, thinking, origin, extraContext } = input;
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
    ...(ended && { ended }),
    launched: [],
    approvals: [],
    crashes: 0,
    crashSeq: startSeq,
    usage: NO_USAGE,
  };
}

/**
 * A new incarnation found the run running: one more crash, the first one if something was finished since the last.
 * @param lastSeq number of its newest message
 * @param keptSeq that of the reply that was kept because people had been sent a part of it, which finishes nothing
 */
export function crashed(run: RunningRun, lastSeq: number, keptSeq = lastSeq): RunningRun {
  return { ...run, crashes: lastSeq > run.crashSeq ? 1 : run.crashes + 1, crashSeq: keptSeq };
}

/** A model's reply is stored: its tokens count, and its calls are what can be launched and approved from now on. */
export function replied(run: RunningRun, usage: Usage): RunningRun {
  const { flush } = run;
  const more = flush && { flush: { ...flush, replies: flush.replies + 1 } };
  return { ...run, usage: addUsage(run.usage, usage), launched: [], approvals: [], ...more };
}

/** A model is about to be sent this. */
export function prompted<State extends RunningRun | PausedRun>(run: State, prompt: PromptRef): State {
  const { prompts = [] } = run;
  const last = prompts.at(-1);
  if (last?.hash === prompt.hash && last.tools === prompt.tools) return run;
  return { ...run, prompts: [...prompts, prompt].slice(-MAX_PROMPTS) };
}

/** What a run's model was sent, oldest first. */
export function promptsIn(state: RunState): readonly PromptRef[] {
  return "prompts" in state ? (state.prompts ?? []) : [];
}

/** A model has worked for the run without answering it. */
export function spent(run: RunningRun, usage: Usage): RunningRun {
  return { ...run, usage: addUsage(run.usage, usage) };
}

/** A memory flush begins: what is stored from this number on belongs to it. */
export function flushing(run: RunningRun, fromSeq: number): RunningRun {
  return { ...run, flush: { fromSeq, replies: 0 } };
}

/** It is over. */
export function flushed({ flush: _, ...run }: RunningRun): RunningRun {
  return run;
}

/** Calls of the last reply are being launched. */
export function launched(run: RunningRun, callIds: readonly string[]): RunningRun {
  return { ...run, launched: [...run.launched, ...callIds] };
}

/** The run needs a person's word before it goes on. */
export function paused(run: RunningRun, approvals: readonly Approval[], now: number): PausedRun {
  const { status: _, deadline, abortRequested: __, ...progress } = run;
  return {
    ...progress,
    status: "waiting_approval",
    approvals: [...run.approvals, ...approvals],
    ...(deadline !== undefined && { remainingMs: Math.max(0, deadline - now) }),
  };
}

/** A person has spoken on one call. With the last one that was waited for, the run and its clock go on. */
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
    ...(remainingMs !== undefined && { deadline: now + remainingMs }),
  };
}

/** The tokens of a run so far and those of one more call. */
export function usageWith(state: RunState, usage: Usage): Usage {
  return isBegun(state) ? addUsage(state.usage, usage) : usage;
}

/** Ends a run; a settled one stays as it is, so that there is exactly one outcome. */
export function end(state: RunState, ending: RunEnding): SettledRun {
  if (isSettled(state)) return state;
  if (!isBegun(state)) return ending;
  const { startedAt, startSeq, sessionId, prompts } = state;
  return {
    ...ending,
    startedAt,
    startSeq,
    ...(sessionId !== undefined && { sessionId }),
    ...(prompts && { prompts }),
    usage: usageWith(state, ending.usage),
  };
}
