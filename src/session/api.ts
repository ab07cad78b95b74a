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

/** What the doors may ask of a session's object. Every call may be repeated. */
export interface SessionMethods {
  /** Refused where the session is being deleted, or the key was used for something else. */
  accept(request: AcceptRequest): AcceptedRun | Refusal;
  /** Also gives the run's events, from the first to the last. */
  acceptAndFollow(request: AcceptRequest): FollowedRun | Refusal;
  show(runId: string): RunView | undefined;
  /** What a run's model was sent besides the conversation: the last of it, or that of a hash. */
  prompt(runId: string, hash?: string): Promise<RunPrompt | Refusal | undefined> | undefined;
  /** What the next request to a model would be made of. */
  context(sender?: "owner" | "other"): Promise<ContextReport | Refusal> | undefined;
  wait(runId: string, timeoutMs: number): Promise<WaitResult | undefined>;
  abort(runId: string): RunState["status"] | undefined;
  abortAll(): string[] | undefined;
  resend(request: ResendRequest): DeliveryView | undefined;
  decide(approvalId: string, decision: Decision): boolean;
  /** Upgrades to a WebSocket; the query says of which session `key`. 429 where there are too many. */
  fetch(request: Request): Promise<Response>;
  history(limit: number, before: number | undefined): (HistoryPage & { cursor: number }) | undefined;
  export(withPrompts?: boolean): ReadableStream<Uint8Array> | undefined;
  events(after: number | undefined, orWait: boolean): ReadableStream<Uint8Array> | Refusal | undefined;
  runEvents(runId: string, after: number): ReadableStream<Uint8Array> | Refusal | undefined;
  /** The pages that memory has of it, and whether the newest messages are in them; undefined where there is no session. */
  transcriptPages(): Promise<{ pages: TranscriptPage[]; isWhole: boolean }> | undefined;
  /** A page as it is now; undefined where nothing of it is left. */
  transcriptPage(conversation: string, page: number): (TranscriptPage & { text: string }) | undefined;
  remove(): Promise<boolean>;
  /** A sub-agent's end, as often as it likes; nobody may want to hear it. */
  announce(report: SubagentReport): void;
  /** How a run ended that another session waits for; `open` while it or what belongs to it goes on. */
  report(runId: string): SubagentReport | "open" | undefined;
  lineage(): Lineage | undefined;
}

/** The same from the other side of a call. */
export type SessionCalls = {
  [Name in keyof SessionMethods]: (
    ...args: Parameters<SessionMethods[Name]>
  ) => Promise<Awaited<ReturnType<SessionMethods[Name]>>>;
};

/**
 * Calls a session's object, again where the platform says that it may help.
 * @throws IsopodError `unavailable` when it does not answer, or what it refuses with
 */
export function callSession<Result>(
  sessions: SessionNamespace,
  objectName: string,
  call: (session: SessionCalls) => Promise<Result | Refusal>,
): Promise<Result> {
  return callObject(sessions, objectName, call);
}
