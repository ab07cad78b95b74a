import type { ThinkingLevel } from "../models/model.ts";

/**
 * Other sessions as the tools of a turn reach them. Every verb throws an `Error` whose message a model can act on; a
 * refusal names the setting that it comes from. What is given a call's id is the same when it is done again under it.
 */
export interface SessionsPort {
  /** Whether sub-agents may be started from here: their depth is limited. */
  readonly maySpawn: boolean;
  /** Has stored what is to be done when it returns; whatever happens then, it is done. */
  spawn(request: SpawnRequest, call: CallRef): Promise<SpawnedChild>;
  /** The agents that may be started as sub-agents. */
  agents(): SpawnableAgent[];
  /** The sub-agents that were started last, the newest first. */
  children(): ChildSummary[];
  /** Stops sub-agents, with all that they have started. Gives those that were at work. */
  stopChildren(which: string): ChildSummary[];
  /** Tells a sub-agent something: at once where it is at work, else it works again. Its result is announced. */
  steerChild(which: string, message: string, call: CallRef): Promise<ChildSummary>;
  list(query: SessionQuery): Promise<SessionSummary[]>;
  history(query: HistoryQuery): Promise<SessionHistory>;
  /** Says something to another session's agent and waits for its reply, for as long as the request says. */
  send(request: SendRequest, call: CallRef): Promise<SendOutcome>;
}

/** Which call something is done for. */
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
  /** Whether it has what it is to do; else it gets it as soon as it can be reached. */
  hasBegun: boolean;
}

export interface SpawnableAgent {
  id: string;
  name?: string;
}

/** A sub-agent as it stands. Instants are milliseconds since the epoch. */
export interface ChildSummary {
  sessionKey: string;
  label: string;
  /** How what it was asked last begins. */
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
  /** How many of the last messages of each to give. */
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
}

/** One message as another session's agent is shown it. */
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
  /** 0 waits for nothing. */
  timeoutSeconds: number;
}

export type SendOutcome =
  | { status: "ok"; sessionKey: string; runId: string; reply: string }
  | { status: "accepted"; sessionKey: string; runId: string; note: string }
  | { status: "timeout"; sessionKey: string; runId: string; note: string }
  | { status: "error"; sessionKey: string; runId: string; error: string };
