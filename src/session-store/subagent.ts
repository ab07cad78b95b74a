import type { Target } from "../channels/channel.ts";
import { head } from "../lib/text.ts";
import { addUsage, NO_USAGE, type Usage } from "../models/message.ts";
import type { ThinkingLevel } from "../models/model.ts";
import type { RunInput, SettledRun } from "./run.ts";

/** Most sub-agents' tasks are told by how they begin. */
const TASK_CHARS = 400;
/** When a sub-agent that has said nothing is asked how it is, in milliseconds; each time twice as long after. */
const FIRST_CHECK_MS = 5 * 60_000;
const LONGEST_CHECK_MS = 60 * 60_000;
/** When one that did not answer is asked again. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 5 * 60_000;

/** A sub-agent as the session that started it knows it. */
export interface Subagent {
  agentId: string;
  /** Its run whose end is waited for: the one that it was started with, or the last message that it was sent. */
  childRunId: string;
  label: string;
  /** How what it was asked last begins, and the call that asked it; see `callName`. */
  task: string;
  askedBy: string;
  startedAt: number;
  /** Whom it asks, and how long its runs may take. */
  modelOverride: ModelOverride;
  timeoutSeconds: number;
  announceTo: AnnouncementTarget;
  phase: SubagentPhase;
}

/** How the end of a sub-agent is told: a run of the session that started it, with the rights of the one that did. */
export interface AnnouncementTarget {
  /** Where people wait for it. */
  target: Target | null;
  owner: boolean;
  modelOverride: ModelOverride;
  timeoutSeconds: number;
}

/** A model, and how hard it thinks, where a run is not to have its agent's. */
export interface ModelOverride {
  model?: string;
  thinking?: ThinkingLevel;
}

/** What is between a session and its sub-agent; `dueAt` is when it is to be asked for it next. */
export type SubagentPhase =
  /** It was not heard to have taken what it is asked. */
  | { status: "starting"; input: RunInput; attempts: number; dueAt: number }
  /** It has, and will say by itself how that ended; it is asked only to make sure. */
  | { status: "working"; checks: number; dueAt: number }
  /** It is to stop, and was not heard to have heard that. */
  | { status: "stopping"; attempts: number; dueAt: number }
  | { status: "ended"; outcome: SubagentOutcome; at: number };

/** How a sub-agent's work came to its end; `stopped` is what who started it wanted, and is told to nobody. */
export type SubagentOutcome = "ok" | "error" | "aborted" | "timeout" | "stopped";

/** A sub-agent that is given something to do, for the first time or again. */
export function withTask(subagent: Omit<Subagent, "phase" | "task">, input: RunInput, now: number): Subagent {
  return {
    ...subagent,
    task: head(input.text, TASK_CHARS),
    phase: { status: "starting", input, attempts: 0, dueAt: now },
  };
}

/** It has what it is asked. */
export function acknowledged(subagent: Subagent, now: number): Subagent {
  if (subagent.phase.status !== "starting") return subagent;
  return { ...subagent, phase: { status: "working", checks: 0, dueAt: now + FIRST_CHECK_MS } };
}

/** It was asked how it is, and is at work. */
export function checked(subagent: Subagent, now: number): Subagent {
  if (subagent.phase.status !== "working") return subagent;
  const checks = subagent.phase.checks + 1;
  const afterMs = Math.min(FIRST_CHECK_MS * 2 ** checks, LONGEST_CHECK_MS);
  return { ...subagent, phase: { status: "working", checks, dueAt: now + afterMs } };
}

/** It did not answer. */
export function unanswered(subagent: Subagent, now: number): Subagent {
  const { phase } = subagent;
  if (phase.status === "ended") return subagent;
  if (phase.status === "working") return { ...subagent, phase: { ...phase, dueAt: now + LONGEST_RETRY_MS } };
  const dueAt = now + Math.min(FIRST_RETRY_MS * 2 ** phase.attempts, LONGEST_RETRY_MS);
  return { ...subagent, phase: { ...phase, attempts: phase.attempts + 1, dueAt } };
}

/** It is to stop. One that has ended stays as it is. */
export function stopping(subagent: Subagent, now: number): Subagent {
  if (!isAtWork(subagent)) return subagent;
  return { ...subagent, phase: { status: "stopping", attempts: 0, dueAt: now } };
}

/** Its work is over. */
export function ended(subagent: Subagent, outcome: SubagentOutcome, now: number): Subagent {
  return subagent.phase.status === "ended" ? subagent : { ...subagent, phase: { status: "ended", outcome, at: now } };
}

/** Whether its end is waited for. */
export function isAtWork({ phase }: Subagent): boolean {
  return phase.status === "starting" || phase.status === "working";
}

/** Whether something is left to be done for it. */
export function isOpen({ phase }: Subagent): boolean {
  return phase.status !== "ended";
}

/** Whether who started it has stopped it. */
export function wasStopped({ phase }: Subagent): boolean {
  return phase.status === "stopping" || (phase.status === "ended" && phase.outcome === "stopped");
}

/** When it is to be asked next, in milliseconds since the epoch; undefined where never. */
export function nextCheckAt({ phase }: Subagent): number | undefined {
  return phase.status === "ended" ? undefined : phase.dueAt;
}
/** A sub-agent as it stands. Instants are milliseconds since the epoch. */
export interface SubagentView {
  sessionKey: string;
  agentId: string;
  runId: string;
  label: string;
  /** How what it was asked last begins. */
  task: string;
  status: "starting" | "working" | "stopping" | SubagentOutcome;
  startedAt: number;
  endedAt?: number;
}
/** Whose a session is, and who belongs to it. */
export interface Lineage {
  /** Of a sub-agent: its ancestors' session keys, the nearest first. */
  lineage: string[];
  /** The sub-agents that it started last, the newest first. */
  subagents: SubagentView[];
}

/** Most characters of a result that are told; the whole of it is in the sub-agent's transcript. */
export const MAX_RESULT_CHARS = 8000;

/** How a sub-agent's run ended, as it is told to who started it. */
export interface SubagentReport {
  childKey: string;
  childRunId: string;
  /** Runs of the same asker that became one with it. */
  joinedRunIds: string[];
  status: "ok" | "error" | "aborted" | "timeout";
  /** How its result begins; empty where it said nothing. */
  text: string;
  /** Characters of the whole result. */
  chars: number;
  /** What went wrong. */
  error?: string;
  usage: Usage;
  /** Milliseconds since the epoch. */
  startedAt?: number;
  endedAt: number;
}

/** A run that has ended, and what it said last. */
export interface RunEnd {
  runId: string;
  state: SettledRun;
  text: string;
  joinedRunIds: string[];
}

/** What is told of a run's end. */
export function subagentReport(childKey: string, { runId, state, text, joinedRunIds }: RunEnd): SubagentReport {
  const ended = "usage" in state ? state : undefined;
  return {
    childKey,
    childRunId: runId,
    joinedRunIds,
    status: ended?.status ?? "error",
    text: head(text, MAX_RESULT_CHARS),
    chars: text.length,
    ...(state.status === "dropped" && { error: "Too many messages waited, and this one gave way." }),
    ...(ended?.error && { error: ended.error.message }),
    usage: ended?.usage ?? NO_USAGE,
    ...(ended?.startedAt !== undefined && { startedAt: ended.startedAt }),
    endedAt: state.endedAt,
  };
}

/**
 * What is told of work that went on after its run: sub-agents of its own were waited for. The last word counts, unless
 * there was none.
 */
export function extendReport(report: SubagentReport, end: RunEnd): SubagentReport {
  const later = subagentReport(report.childKey, end);
  const { text, chars } = later.status === "ok" && later.text !== "" ? later : report;
  const { status, error } = later.status === "ok" ? report : later;
  const { error: _, ...rest } = report;
  return {
    ...rest,
    ...{ status, text, chars, endedAt: later.endedAt, usage: addUsage(report.usage, later.usage) },
    joinedRunIds: [...report.joinedRunIds, ...end.joinedRunIds],
    ...(error !== undefined && { error }),
  };
}

/** What is told of a sub-agent that is gone and has said nothing. */
export function lostReport(childKey: string, childRunId: string, now: number): SubagentReport {
  const error = "Its session is gone, and with it what it did not report.";
  return {
    childKey,
    childRunId,
    joinedRunIds: [],
    status: "error",
    text: "",
    chars: 0,
    error,
    usage: NO_USAGE,
    endedAt: now,
  };
}

/** What is told of work that was stopped while its sub-agents were waited for. */
export function interruptedReport(report: SubagentReport, now: number): SubagentReport {
  return { ...report, status: "aborted", error: "It was stopped while it waited for its sub-agents.", endedAt: now };
}
