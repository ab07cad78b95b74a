import type { Refusal } from "../lib/refusal.ts";
import type { TranscriptPage } from "../memory/transcript-path.ts";
import { callObject, type SessionNamespace } from "../services/call-session.ts";
import type { ResendRequest } from "../session-store/outbox.ts";
import type { Decision, RunState } from "../session-store/run.ts";
import type { AcceptedRun, AcceptRequest, FollowedRun } from "../session-store/run-request.ts";
import type { DeliveryView, RunView, WaitResult } from "../session-store/run-views.ts";
import type { Lineage, SubagentReport } from "../session-store/subagent.ts";
import type { HistoryPage } from "../session-store/transcript.ts";
import type { ContextReport } from "../turn/preview/context-report.ts";
import type { RunPrompt } from "../turn/preview/run-prompt.ts";

export { clientFrame, serverFrame } from "./socket-protocol.ts";

/** The calls that routes, handlers and other objects make to a session's object. Every call may be repeated. */
export interface SessionMethods {
  /** Stores a run. Refused if the session is being deleted, or the key was used for another request. */
  accept(request: AcceptRequest): AcceptedRun | Refusal;
  /** Like `accept`, and returns the run's events, from the first to the last. */
  acceptAndFollow(request: AcceptRequest): FollowedRun | Refusal;
  show(runId: string): RunView | undefined;
  /** What a run's model was sent besides the conversation: the last prompt, or the one with a hash. */
  prompt(runId: string, hash?: string): Promise<RunPrompt | Refusal | undefined> | undefined;
  /** What the next model request would consist of. */
  context(sender?: "owner" | "other"): Promise<ContextReport | Refusal> | undefined;
  wait(runId: string, timeoutMs: number): Promise<WaitResult | undefined>;
  abort(runId: string): RunState["status"] | undefined;
  abortAll(): string[] | undefined;
  resend(request: ResendRequest): DeliveryView | undefined;
  decide(approvalId: string, decision: Decision): boolean;
  /** Upgrades to a WebSocket; the query parameter `key` is the session key. 429 if there are too many sockets. */
  fetch(request: Request): Promise<Response>;
  history(limit: number, before: number | undefined): (HistoryPage & { cursor: number }) | undefined;
  export(withPrompts?: boolean): ReadableStream<Uint8Array> | undefined;
  events(after: number | undefined, orWait: boolean): ReadableStream<Uint8Array> | Refusal | undefined;
  runEvents(runId: string, after: number): ReadableStream<Uint8Array> | Refusal | undefined;
  /**
   * The session's transcript pages in the memory index, and whether they contain the newest messages; undefined if
   * there is no session.
   */
  transcriptPages(): Promise<{ pages: TranscriptPage[]; isWhole: boolean }> | undefined;
  /** The current text of a page; undefined if nothing of it is left. */
  transcriptPage(conversation: string, page: number): (TranscriptPage & { text: string }) | undefined;
  remove(): Promise<boolean>;
  /** Receives the report of a sub-agent's end. Idempotent; ignored if nothing waits for it. */
  announce(report: SubagentReport): void;
  /** The report of a run that another session waits for; `open` while the run or its sub-agents are not finished. */
  report(runId: string): SubagentReport | "open" | undefined;
  lineage(): Lineage | undefined;
}

/** The same methods as a caller sees them: all of them return promises. */
export type SessionCalls = {
  [Name in keyof SessionMethods]: (
    ...args: Parameters<SessionMethods[Name]>
  ) => Promise<Awaited<ReturnType<SessionMethods[Name]>>>;
};

/**
 * Calls a session's object, and retries where the platform says that a retry may help.
 * @throws IsopodError `unavailable` if it does not answer, or the session's refusal
 */
export function callSession<Result>(
  sessions: SessionNamespace,
  objectName: string,
  call: (session: SessionCalls) => Promise<Result | Refusal>,
): Promise<Result> {
  return callObject(sessions, objectName, call);
}
