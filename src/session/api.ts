import type { RunError } from "../agent/events.ts";
import type { Target } from "../channels/channel.ts";
import type { TranscriptPage } from "../index-sync/transcript-sync.ts";
import type { Refusal } from "../lib/refusal.ts";
import type { Usage } from "../models/message.ts";
import type { OutboxRow, ResendRequest } from "../session-store/outbox.ts";
import type { Approval, Decision, RunInput, RunState } from "../session-store/run.ts";
import type { ChildOutcome } from "../session-store/subagent.ts";
import type { ChildReport } from "../session-store/subagent-report.ts";
import type { HistoryPage } from "../session-store/transcript.ts";
import type { ContextReport } from "../turn/preview/context-report.ts";
import type { RunPrompt } from "../turn/preview/run-prompt.ts";

/** What the doors may ask of a session's object. Every call may be repeated. */
export interface SessionMethods {
  /** Refused where the session is being deleted, or the key was used for something else. */
  accept(request: AcceptRequest): Accepted | Refusal;
  /** Also gives the run's events, from the first to the last. */
  acceptAndFollow(request: AcceptRequest): Followed | Refusal;
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
  remembered(): Promise<{ pages: TranscriptPage[]; isWhole: boolean }> | undefined;
  /** A page as it is now; undefined where nothing of it is left. */
  rememberedPage(conversation: string, page: number): (TranscriptPage & { text: string }) | undefined;
  remove(): Promise<boolean>;
  /** A sub-agent's end, as often as it likes; nobody may want to hear it. */
  announce(report: ChildReport): void;
  /** How a run ended that another session waits for; `open` while it or what belongs to it goes on. */
  report(runId: string): ChildReport | "open" | undefined;
  kin(): Kin | undefined;
}

/** Whose a session is, and who belongs to it. */
export interface Kin {
  /** Of a sub-agent: its ancestors' session keys, the nearest first. */
  lineage: string[];
  /** The sub-agents that it started last, the newest first. */
  children: ChildView[];
}

/** A sub-agent as it stands. Instants are milliseconds since the epoch. */
export interface ChildView {
  sessionKey: string;
  agentId: string;
  runId: string;
  label: string;
  /** How what it was asked last begins. */
  task: string;
  status: "starting" | "working" | "stopping" | ChildOutcome;
  startedAt: number;
  endedAt?: number;
}

/** The same from the other side of a call. */
export type SessionCalls = {
  [Name in keyof SessionMethods]: (
    ...args: Parameters<SessionMethods[Name]>
  ) => Promise<Awaited<ReturnType<SessionMethods[Name]>>>;
};

/** What a door hands over. It may be handed over again: the same run id, or the same key, is the same run. */
export interface AcceptRequest {
  sessionKey: string;
  agentId: string;
  runId: string;
  idempotencyKey?: string;
  /** What is asked under the key, as a digest: something else under the same key is refused as a conflict. */
  inputDigest?: string;
  /** A run that was accepted under the key before this instant is another one, and gives the key up. */
  keySince?: number;
  input: RunInput;
  /** Where the reply is to be delivered; absent where whoever asked reads it here. */
  target?: Target;
  /** The revision of the configuration that the door knows: the run has this one, or a newer one. */
  configRevision?: number;
  /** A session that this begins is deleted so long after its last run; absent where it stays. */
  lingerMs?: number;
}

/** The answer once the input is stored. */
export interface Accepted {
  runId: string;
  sessionKey: string;
  sessionId: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
}

/** A run that was accepted, with its events from the first to the last. */
export interface Followed {
  accepted: Accepted;
  events: ReadableStream<Uint8Array>;
}

/** A run as it stands. Instants are milliseconds since the epoch. */
export interface RunView extends Accepted {
  agentId: string;
  status: RunState["status"];
  startedAt?: number;
  endedAt?: number;
  model?: string;
  usage?: Usage;
  /** What `usage` is estimated to have cost, in US dollars; absent where nothing with a price has answered. */
  costUsd?: number;
  error?: RunError;
  /** The run that it joined. */
  intoRunId?: string;
  /** The calls that wait for a person's word. */
  approvals?: Approval[];
  /** The text that the run ended on. */
  reply?: string;
  /** The system prompt that its model was sent last. */
  prompt?: { hash: string };
  deliveries: DeliveryView[];
}

/** One part of a reply on its way to a channel. */
export interface DeliveryView {
  deliveryId: string;
  channel: string;
  status: OutboxRow["status"];
  attempts: number;
  reason?: string;
}

/** How waiting for a run came out; `timeout` means only that the wait ran out. */
export interface WaitResult {
  status: "ok" | "error" | "timeout";
  startedAt?: number;
  endedAt?: number;
  error?: RunError;
}
