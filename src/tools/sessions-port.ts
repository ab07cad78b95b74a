import type { ThinkingLevel } from "../models/model.ts";
import type { Label } from "../security/labels.ts";

/**
 * Other sessions, for the tools of a turn. Every method throws an `Error` for the model; a refusal names the setting
 * behind it. Methods that take a call are idempotent for its id.
 */
export interface SessionsPort {
  /** Whether sub-agents may be started here: their depth is limited. */
  readonly maySpawn: boolean;
  /** Stores the task before it returns, so that it runs in any case. */
  spawn(request: SpawnRequest, call: CallRef): Promise<SpawnedChild>;
  /** The agents that may be started as sub-agents. */
  agents(): SpawnableAgent[];
  /** The latest sub-agents, newest first. */
  children(): ChildSummary[];
  /** Stops sub-agents and all that they started. Returns those that were running. */
  stopChildren(which: string): ChildSummary[];
  /** Sends a message to a sub-agent, which starts again if it has ended. Its result is announced. */
  steerChild(which: string, message: string, call: CallRef): Promise<ChildSummary>;
  /** The user's time zone; UTC where it is not known. */
  readonly zone: string;
  list(query: SessionQuery): Promise<SessionSummary[]>;
  history(query: HistoryQuery): Promise<SessionHistory>;
  /** Sends a message to another session's agent and waits for its reply, at most as long as requested. */
  send(request: SendRequest, call: CallRef): Promise<SendOutcome>;
}

/** The call that something is done for. */
export interface CallRef {
  readonly callId: string;
  readonly signal: AbortSignal;
}

export interface SpawnRequest {
  task: string;
  label?: string | undefined;
  agentId?: string | undefined;
  /** `provider/model`. */
  model?: string | undefined;
  thinking?: ThinkingLevel | undefined;
  /** 0 means no limit. */
  runTimeoutSeconds?: number | undefined;
}

export interface SpawnedChild {
  sessionKey: string;
  runId: string;
  /** Whether the task was handed over; if not, that happens as soon as the sub-agent can be reached. */
  hasBegun: boolean;
}

export interface SpawnableAgent {
  id: string;
  name?: string;
}

/** The state of a sub-agent. Instants are milliseconds since the epoch. */
export interface ChildSummary {
  sessionKey: string;
  label: string;
  /** The beginning of its latest task. */
  task: string;
  status: string;
  startedAt: number;
  endedAt?: number;
}

export const SESSION_KINDS = ["main", "direct", "group", "channel", "subagent", "cron", "hook"] as const;

export interface SessionQuery {
  kinds?: readonly (typeof SESSION_KINDS)[number][] | undefined;
  limit: number;
  activeMinutes?: number | undefined;
  /** How many of each session's last messages to include. */
  messageLimit: number;
}

export interface SessionSummary {
  sessionKey: string;
  agentId: string;
  kind: string;
  label?: string;
  status: string;
  /** Milliseconds since the epoch. */
  updatedAt: number;
  messages?: HistoryLine[];
}

export interface HistoryQuery {
  sessionKey: string;
  limit: number;
  includeTools: boolean;
}

export interface SessionHistory {
  /** Oldest first. */
  messages: HistoryLine[];
  /** Whether there are older ones. */
  hasMore: boolean;
  /** Where words in them come from that are not the owner's. */
  labels?: readonly Label[];
}

/** A message of another session, as shown to an agent. */
export interface HistoryLine {
  role: "user" | "assistant" | "tool";
  /** Milliseconds since the epoch. */
  at: number;
  text: string;
  tool?: string;
}

export interface SendRequest {
  /** A session key, or a sub-agent's label. */
  to: string;
  message: string;
  /** 0 does not wait. */
  timeoutSeconds: number;
}

export type SendOutcome =
  | { status: "ok"; sessionKey: string; runId: string; reply: string; labels?: readonly Label[] }
  | { status: "accepted"; sessionKey: string; runId: string; note: string }
  | { status: "timeout"; sessionKey: string; runId: string; note: string }
  | { status: "error"; sessionKey: string; runId: string; error: string };
