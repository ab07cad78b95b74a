import type { EventBody } from "../agent/events.ts";
import type { RunError } from "../agent/run-error.ts";
import { FatalRunError } from "../agent/run-error.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { head } from "../lib/text.ts";
import type { AssistantMessage, Directives, Usage } from "../models/message.ts";
import type { SentAlert } from "../schedule/repeated-alert.ts";
import type { EndedRun } from "./run.ts";
import type { AttachedFile } from "./stored-shapes.ts";

/** Most characters of a run's error message. */
const MAX_REASON_CHARS = 2000;

/** How a turn ends its run. */
export interface RunResult {
  status: EndedRun["status"];
  /** The last reply, not stored yet. */
  message?: AssistantMessage;
  error?: RunError;
  /** Whether calls of the client's tools stay open for a later run to bring their results. */
  leavesCalls?: true;
  /** The texts to send to where the run came from, as Markdown, in order. */
  texts: readonly string[];
  /** What the first of them replies to natively; absent for the account's default. */
  answering?: Answering;
  /** How many parts of it were sent while it was written. */
  sentParts?: number;
  /** Files that follow the texts. */
  files?: readonly AttachedFile[];
  /** What reading it aloud has cost. */
  spent?: Usage;
  /** Set where the run gave way to a message and goes on after it. */
  yields?: true;
  /** Of a heartbeat: set where it had nothing to say, or only what it had said before. */
  isQuiet?: true;
  /** Of a heartbeat: what it says, so that it is not said again. */
  alert?: SentAlert;
}

/** The run was stopped. */
export const ABORTED: RunResult = {
  status: "aborted",
  error: { code: "aborted", message: "The run was stopped." },
  texts: [],
};

/** The result of a run whose signal aborted. */
export function stopped(signal: AbortSignal): RunResult {
  if (signal.reason !== "timeout") return ABORTED;
  const message = "The run took too long and was stopped.";
  return { status: "timeout", error: { code: "timeout", message }, texts: [message] };
}

/** The result of a run that crashed too often. */
export function crashLoop(crashes: number): RunResult {
  const message = `The run was interrupted ${crashes} times without getting any further.`;
  return { status: "error", error: { code: "crash_loop", message }, texts: [message] };
}

const UNREADABLE_MESSAGE = "What was stored of this run cannot be read any more.";

/** The result of a run whose stored state is unreadable. */
export const UNREADABLE: RunResult & { error: RunError } = {
  status: "error",
  error: { code: "internal", message: UNREADABLE_MESSAGE },
  texts: [UNREADABLE_MESSAGE],
};

/** The result of a run that ended with an exception. */
export function failure(thrown: unknown): RunResult {
  const hint = thrown instanceof IsopodError && thrown.hint !== undefined ? `. ${thrown.hint}` : "";
  const message = head(`${messageOf(thrown)}${hint}`, MAX_REASON_CHARS);
  return { status: "error", error: { code: errorCode(thrown), message }, texts: [message] };
}

function errorCode(thrown: unknown): RunError["code"] {
  if (thrown instanceof FatalRunError) return thrown.code;
  return thrown instanceof IsopodError && thrown.code === "not_configured" ? thrown.code : "internal";
}

/** The last event of a run. */
export function lastEvent(result: RunResult, usage: Usage): EventBody {
  return result.error === undefined
    ? { type: "lifecycle", phase: "end", usage }
    : { type: "lifecycle", phase: "error", error: result.error };
}
/** Which message a text replies to, on channels with native replies. */
export interface Answering {
  /** The reply tag of the author. */
  replyTo?: Directives["replyTo"];
  /** Whether it is the first text of the run. */
  isFirst: boolean;
  /** Set on the text that begins a reply: it gets the configured prefix. */
  beginsReply?: boolean;
  /** Most parts of it; as many as a reply may have where absent. */
  most?: number;
}
