import type { QueuePolicy } from "../queue.ts";
import type { Decision } from "../run.ts";

/** Something that an owner tells the session itself, not the agent: it acts when it is accepted, before the queue. */
export interface Command {
  /** What comes after the slash. */
  readonly name: string;
  readonly summary: string;
  /**
   * Does it and says what was done, as Markdown. Works synchronously, so that it is one commit with its record.
   * @param args what was typed after the name, trimmed
   */
  run(args: string, session: CommandPort): string;
}

/** What commands may do to their session. */
export interface CommandPort {
  /** Stops every run that is not settled. Gives their number. */
  stopAll(): number;
  /** Notes a person's word on the call with this id, or on every call that waits. Gives the tools concerned. */
  decide(approvalId: string | undefined, decision: Decision): string[];
  queuePolicy(): QueuePolicy;
  /** Changes how this session treats what comes while it is busy; an empty change goes back to the configuration. */
  setQueuePolicy(change: Partial<QueuePolicy>): void;
  status(): SessionStatus;
}

export interface SessionStatus {
  sessionKey: string;
  /** `provider/model`, or why there is none. */
  model: string;
  /** What the run at work is doing; undefined where none is. */
  active: { status: "running" | "waiting_approval"; forMs: number } | undefined;
  waiting: number;
  messages: number;
}
