import type { Target } from "../channels/channel.ts";
import { backoffMs } from "../lib/backoff.ts";
import { head } from "../lib/text.ts";
import { addUsage, NO_USAGE, type Usage } from "../models/message.ts";
import type { ThinkingLevel } from "../models/model.ts";
import type { Label } from "../security/labels.ts";
import type { SettledRun } from "./run.ts";
import type { RunInput } from "./run-input.ts";

/** Most characters of a task that are kept. */
const TASK_CHARS = 400;
/** When a silent sub-agent is checked, in milliseconds; the interval doubles each time. */
const FIRST_CHECK_MS = 5 * 60_000;
const LONGEST_CHECK_MS = 60 * 60_000;
/** When an unanswered request is repeated. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 5 * 60_000;

/** A sub-agent as its parent session stores it. */
export interface Subagent {
  agentId: string;
  /** Its current run: the first one, or that of the last message. */
  childRunId: string;
  label: string;
  /** The beginning of its last task, and the call that gave it; see `callName`. */
  task: string;
  askedBy: string;
  startedAt: number;
  /** The model of its runs, and their timeout. */
  modelOverride: ModelOverride;
  timeoutSeconds: number;
  announceTo: AnnouncementTarget;
  phase: SubagentPhase;
}

/** The run that announces a sub-agent's end: it has the rights of the run that started the sub-agent. */
export interface AnnouncementTarget {
  /** Where people wait for it. */
  target: Target | null;
  owner: boolean;
  /** The person of the run that started it, as `channel:id`. */
  sender?: string | undefined;
  modelOverride: ModelOverride;
  timeoutSeconds: number;
}

/** A model and thinking level other than the agent's own. */
export interface ModelOverride {
  model?: string;
  thinking?: ThinkingLevel;
}

/** The state of a sub-agent as its parent stores it; `dueAt` is the time of the next request to it. */
export type SubagentPhase =
  /** It has not acknowledged its task yet. */
  | { status: "starting"; input: RunInput; attempts: number; dueAt: number }
  /** It works, and will report its end; it is checked now and then in case the report is lost. */
  | { status: "working"; checks: number; dueAt: number }
  /** It has not acknowledged its stop yet. */
  | { status: "stopping"; attempts: number; dueAt: number }
  | { status: "ended"; outcome: SubagentOutcome; at: number };

/** How a sub-agent ended; `stopped` means by its parent, and is not announced. */
export type SubagentOutcome = "ok" | "error" | "aborted" | "timeout" | "stopped";

/** A sub-agent with a task, the first or a later one. */
export function withTask(subagent: Omit<Subagent, "phase" | "task">, input: RunInput, now: number): Subagent {
  return {
    ...subagent,
    task: head(input.text, TASK_CHARS),
    phase: { status: "starting", input, attempts: 0, dueAt: now },
  };
}

/** It has acknowledged its task. */
export function acknowledged(subagent: Subagent, now: number): Subagent {
  if (subagent.phase.status !== "starting") return subagent;
  return { ...subagent, phase: { status: "working", checks: 0, dueAt: now + FIRST_CHECK_MS } };
}

/** It was checked and still works. */
export function checked(subagent: Subagent, now: number): Subagent {
  if (subagent.phase.status !== "working") return subagent;
  const checks = subagent.phase.checks + 1;
  const afterMs = backoffMs(checks, { firstMs: FIRST_CHECK_MS, longestMs: LONGEST_CHECK_MS });
  return { ...subagent, phase: { status: "working", checks, dueAt: now + afterMs } };
}

/** It did not answer. */
export function unanswered(subagent: Subagent, now: number): Subagent {
  const { phase } = subagent;
  if (phase.status === "ended") return subagent;
  if (phase.status === "working") return { ...subagent, phase: { ...phase, dueAt: now + LONGEST_RETRY_MS } };
  const dueAt = now + backoffMs(phase.attempts, { firstMs: FIRST_RETRY_MS, longestMs: LONGEST_RETRY_MS });
  return { ...subagent, phase: { ...phase, attempts: phase.attempts + 1, dueAt } };
}

/** It must stop. An ended sub-agent stays as it is. */
export function stopping(subagent: Subagent, now: number): Subagent {
  if (!isAtWork(subagent)) return subagent;
  return { ...subagent, phase: { status: "stopping", attempts: 0, dueAt: now } };
}

/** It has ended. */
export function ended(subagent: Subagent, outcome: SubagentOutcome, now: number): Subagent {
  return subagent.phase.status === "ended" ? subagent : { ...subagent, phase: { status: "ended", outcome, at: now } };
}

/** Whether its end is awaited. */
export function isAtWork({ phase }: Subagent): boolean {
  return phase.status === "starting" || phase.status === "working";
}

/** Whether it has not ended. */
export function isOpen({ phase }: Subagent): boolean {
  return phase.status !== "ended";
}

/** Whether its parent has stopped it. */
export function wasStopped({ phase }: Subagent): boolean {
  return phase.status === "stopping" || (phase.status === "ended" && phase.outcome === "stopped");
}

/** The time of the next request to it, in milliseconds since the epoch; undefined for none. */
export function nextCheckAt({ phase }: Subagent): number | undefined {
  return phase.status === "ended" ? undefined : phase.dueAt;
}
/** A sub-agent as it is shown. Instants are milliseconds since the epoch. */
export interface SubagentView {
  sessionKey: string;
  agentId: string;
  runId: string;
  label: string;
  /** The beginning of its last task. */
  task: string;
  status: "starting" | "working" | "stopping" | SubagentOutcome;
  startedAt: number;
  endedAt?: number;
}
/** The ancestors and the sub-agents of a session. */
export interface Lineage {
  /** Of a sub-agent: session keys of its ancestors, the nearest first. */
  lineage: string[];
  /** Its sub-agents, the newest first. */
  subagents: SubagentView[];
}

/** Most characters of a result in a report; the whole is in the sub-agent's transcript. */
export const MAX_RESULT_CHARS = 8000;

/** The report of a sub-agent's run to its parent. */
export interface SubagentReport {
  childKey: string;
  childRunId: string;
  /** Runs of the same parent that were merged into it. */
  joinedRunIds: string[];
  status: "ok" | "error" | "aborted" | "timeout";
  /** The beginning of its result; empty where there is none. */
  text: string;
  /** Length of the whole result. */
  chars: number;
  /** Where words in it come from that are not the owner's. */
  labels?: readonly Label[];
  /** The error message. */
  error?: string;
  usage: Usage;
  /** Milliseconds since the epoch. */
  startedAt?: number;
  endedAt: number;
}

/** An ended run and its last reply. */
export interface RunEnd {
  runId: string;
  state: SettledRun;
  text: string;
  /** Where words in it come from that are not the owner's. */
  labels?: readonly Label[];
  joinedRunIds: string[];
}

/** The report of an ended run. */
export function subagentReport(childKey: string, { runId, state, text, labels, joinedRunIds }: RunEnd): SubagentReport {
  const ended = "usage" in state ? state : undefined;
  return {
    childKey,
    childRunId: runId,
    joinedRunIds,
    status: ended?.status ?? "error",
    text: head(text, MAX_RESULT_CHARS),
    chars: text.length,
    ...(labels && { labels }),
    ...(state.status === "dropped" && { error: "Too many messages waited, and this one gave way." }),
    ...(ended?.error && { error: ended.error.message }),
    usage: ended?.usage ?? NO_USAGE,
    ...(ended?.startedAt !== undefined && { startedAt: ended.startedAt }),
    endedAt: state.endedAt,
  };
}

/**
 * The report of a run whose own sub-agents were waited for, extended by a later run. The last successful reply that is
 * not empty counts.
 */
export function extendReport(report: SubagentReport, end: RunEnd): SubagentReport {
  const later = subagentReport(report.childKey, end);
  const { text, chars, labels } = later.status === "ok" && later.text !== "" ? later : report;
  const { status, error } = later.status === "ok" ? report : later;
  const { error: _, labels: __, ...rest } = report;
  return {
    ...rest,
    ...(labels && { labels }),
    ...{ status, text, chars, endedAt: later.endedAt, usage: addUsage(report.usage, later.usage) },
    joinedRunIds: [...report.joinedRunIds, ...end.joinedRunIds],
    ...(error !== undefined && { error }),
  };
}

/** The report of a sub-agent whose session is gone. */
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

/** The report of a run that was stopped while it waited for its sub-agents. */
export function interruptedReport(report: SubagentReport, now: number): SubagentReport {
  return { ...report, status: "aborted", error: "It was stopped while it waited for its sub-agents.", endedAt: now };
}
