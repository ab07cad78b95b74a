import type { RunError } from "../agent/events.ts";
import type { Usage } from "../models/message.ts";
import { NO_USAGE } from "../models/message.ts";
import type { ThinkingLevel } from "../models/model.ts";

/** Crashes in a row, with nothing finished between them, after which a run is given up. */
export const MAX_CRASHES = 5;

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
}

/** The life of a run; the last four are final and never change. */
export type RunState = QueuedRun | RunningRun | EndedRun;

export interface QueuedRun {
  status: "queued";
}

export interface RunningRun {
  status: "running";
  startedAt: number;
  /** Number of the event that began it. */
  startSeq: number;
  /** When it has to be done, in milliseconds since the epoch; undefined means no limit. */
  deadline?: number;
  model?: string;
  thinking?: ThinkingLevel;
  /** Tool calls of the last reply that were launched. */
  launched: string[];
  /** Crashes since something was last finished, and how far it had come then. */
  crashes: number;
  crashSeq: number;
  /** Set when somebody asked to stop it; it holds over a crash. */
  abortRequested?: boolean;
  usage: Usage;
}

export interface EndedRun {
  status: "ok" | "error" | "aborted" | "timeout";
  startedAt?: number;
  startSeq?: number;
  endedAt: number;
  /** Number of the event that ended it. */
  endSeq: number;
  model?: string;
  usage: Usage;
  error?: RunError;
}

/** How a run came to its end. */
export interface Ending {
  status: EndedRun["status"];
  endedAt: number;
  endSeq: number;
  usage: Usage;
  model?: string;
  error?: RunError;
}

/** A run's life as seen from outside: its times and how it ended. */
export function isEnded(state: RunState): state is EndedRun {
  return state.status !== "queued" && state.status !== "running";
}

/** A queued run takes its turn. */
export function begin(now: number, startSeq: number, { timeoutSeconds, model, thinking }: RunInput): RunningRun {
  return {
    status: "running",
    startedAt: now,
    startSeq,
    ...(timeoutSeconds > 0 && { deadline: now + timeoutSeconds * 1000 }),
    ...(model !== undefined && { model }),
    ...(thinking && { thinking }),
    launched: [],
    crashes: 0,
    crashSeq: startSeq,
    usage: NO_USAGE,
  };
}

/** A new incarnation found the run running: one more crash, the first one if something was finished since the last. */
export function crashed(run: RunningRun, lastSeq: number): RunningRun {
  return { ...run, crashes: lastSeq > run.crashSeq ? 1 : run.crashes + 1, crashSeq: lastSeq };
}

/** Ends a run; an ended one stays as it is, so that there is exactly one outcome. */
export function end(state: RunState, ending: Ending): EndedRun {
  if (isEnded(state)) return state;
  const { startedAt, startSeq } = state.status === "running" ? state : { startedAt: undefined, startSeq: undefined };
  return {
    ...ending,
    ...(startedAt !== undefined && { startedAt }),
    ...(startSeq !== undefined && { startSeq }),
  };
}
