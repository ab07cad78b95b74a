import { head } from "../lib/text.ts";
import type { Usage } from "../models/message.ts";
import { addUsage, NO_USAGE } from "../models/message.ts";
import type { SettledRun } from "./run.ts";

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
export function reportOf(childKey: string, { runId, state, text, joinedRunIds }: RunEnd): SubagentReport {
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
export function continued(report: SubagentReport, end: RunEnd): SubagentReport {
  const later = reportOf(report.childKey, end);
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
export function cutShort(report: SubagentReport, now: number): SubagentReport {
  return { ...report, status: "aborted", error: "It was stopped while it waited for its sub-agents.", endedAt: now };
}
