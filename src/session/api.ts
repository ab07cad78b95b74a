import type { Target } from "../channels/channel.ts";
import type { SessionLocation } from "../config/session-schema.ts";
import type { Refusal } from "../lib/refusal.ts";
import type { TranscriptPage } from "../memory/transcript-path.ts";
import { callObject } from "../services/call-session.ts";
import type { SessionAddress, SessionEnv } from "../services/session-places.ts";
import type { FailedDelivery } from "../session-store/lost-deliveries.ts";
import type { ResendRequest } from "../session-store/outbox.ts";
import type { Decision, RunState } from "../session-store/run.ts";
import type { AcceptedRun, AcceptRequest, FollowedRun } from "../session-store/run-request.ts";
import type { DeliveryView, LostDelivery, RunView, WaitResult } from "../session-store/run-views.ts";
import type { SessionPart } from "../session-store/session-place.ts";
import type { Grant } from "../session-store/stored-shapes.ts";
import type { Lineage, SubagentReport } from "../session-store/subagent.ts";
import type { HistoryPage } from "../session-store/transcript.ts";
import type { VisitorView, VisitorWait } from "../session-store/visitor-view.ts";
import type { ContextReport } from "../turn/preview/context-report.ts";
import type { RunPrompt } from "../turn/preview/run-prompt.ts";

export { clientFrame, serverFrame } from "./socket-protocol.ts";

/** The HTTP status of `fetch` where the session is not, or not yet, in this object; the body is the refusal. */
export const MISDIRECTED = 421;

/** The calls that routes, handlers and other objects make to a session's object. Every call may be repeated. */
export interface SessionMethods {
  /** Stores a run. Refused if the session is being deleted, or the key was used for another request. */
  accept(request: AcceptRequest): AcceptedRun | Refusal;
  /** Like `accept`, and returns the run's events, from the first to the last. */
  acceptAndFollow(request: AcceptRequest): FollowedRun | Refusal;
  show(runId: string): RunView | Refusal | undefined;
  /** What a run's model was sent besides the conversation: the last prompt, or the one with a hash. */
  prompt(runId: string, hash?: string): Promise<RunPrompt | Refusal | undefined> | Refusal | undefined;
  /** What the next model request would consist of. */
  context(sender?: "owner" | "other"): Promise<ContextReport | Refusal> | Refusal | undefined;
  wait(runId: string, timeoutMs: number): Promise<WaitResult | Refusal | undefined>;
  abort(runId: string): RunState["status"] | Refusal | undefined;
  abortAll(): string[] | Refusal | undefined;
  /** A message of the agent, known by the platform's id, did not arrive after all. False if it is not known here. */
  failDelivery(failed: FailedDelivery): boolean | Refusal | undefined;
  resend(request: ResendRequest): DeliveryView | Refusal | undefined;
  /** The deliveries that did not arrive, or may not have, oldest first. */
  lostDeliveries(): LostDelivery[] | Refusal | undefined;
  decide(approvalId: string, decision: Decision): boolean | Refusal;
  /** What an owner has allowed for good in this session, oldest first. */
  grants(): readonly Grant[] | Refusal | undefined;
  /** Takes a grant back; undefined if there is none. */
  revoke(grantId: string): Grant | Refusal | undefined;
  /**
   * Upgrades to a WebSocket; the query parameter `key` is the session key. 429 if there are too many sockets, 421 with a
   * refusal as its body if the session has moved.
   */
  fetch(request: Request): Promise<Response>;
  /** What a visitor of a page is shown, once it is not what is known, or the time is over. */
  visitorView(visitor: Target, wait: VisitorWait): Promise<VisitorView | Refusal | undefined>;
  history(limit: number, before: number | undefined): (HistoryPage & { cursor: number }) | Refusal | undefined;
  export(withPrompts?: boolean): ReadableStream<Uint8Array> | Refusal | undefined;
  events(after: number | undefined, orWait: boolean): ReadableStream<Uint8Array> | Refusal | undefined;
  runEvents(runId: string, after: number): ReadableStream<Uint8Array> | Refusal | undefined;
  /**
   * The session's transcript pages in the memory index, and whether they contain the newest messages; undefined if
   * there is no session.
   */
  transcriptPages(): Promise<{ pages: TranscriptPage[]; isWhole: boolean }> | Refusal | undefined;
  /** The current text of a page; undefined if nothing of it is left. */
  transcriptPage(conversation: string, page: number): (TranscriptPage & { text: string }) | Refusal | undefined;
  remove(): Promise<boolean | Refusal>;
  /** Receives the report of a sub-agent's end. Idempotent; ignored if nothing waits for it. */
  announce(report: SubagentReport): Refusal | undefined;
  /** The report of a run that another session waits for; `open` while the run or its sub-agents are not finished. */
  report(runId: string): SubagentReport | "open" | Refusal | undefined;
  lineage(): Lineage | Refusal | undefined;
  /** The name of the object in which the session is; the other one's from now on, if the session has not begun. */
  settle(ownName: string, otherwise: string): string | Refusal;
  /**
   * Moves the session to another object, with all that it has. True when it is there; undefined if there is no session.
   * Refused while a run is under way, or if the other object does not take it.
   */
  move(ownName: string, to: string, location: SessionLocation): Promise<boolean | Refusal | undefined>;
  /** Stores the next part of a session that arrives from another object; returns how many parts are here. */
  receive(part: SessionPart): number | Refusal;
  /** The object that the session comes from has let go of it. */
  confirmMove(): boolean;
}

/** The same methods as a caller sees them: all of them return promises. */
export type SessionCalls = {
  [Name in keyof SessionMethods]: (
    ...args: Parameters<SessionMethods[Name]>
  ) => Promise<Awaited<ReturnType<SessionMethods[Name]>>>;
};

/** See `callObject`. */
export function callSession<Result>(
  env: SessionEnv,
  address: SessionAddress,
  call: (session: SessionCalls, objectName: string) => Promise<Result | Refusal>,
): Promise<Result> {
  return callObject(env, address, call);
}
