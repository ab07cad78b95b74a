import type { Message } from "../../src/models/message.ts";
import type { RunView } from "../../src/session-store/run-views.ts";
import type { Breach } from "./check.ts";
import type { Beats } from "./check-slots.ts";
import type { Kill } from "./killer.ts";
import type { PlannedSession } from "./plan.ts";
import type { ModelRequest } from "./provider.ts";
import type { SentMessage } from "./sender.ts";
import type { Story } from "./story.ts";

/** A message of a transcript as it is stored, with its place in it. */
export type HistoryMessage = Message & { seq: number; runId: string };

/** Everything that is known when a torture is over. */
export interface Evidence {
  kills: readonly Kill[];
  /** How many moves of sessions to other objects were confirmed. */
  moves: number;
  sessions: readonly SessionEvidence[];
  /** How often each call of a tool took effect, by call id. */
  counts: ReadonlyMap<string, number>;
  /** What the model was asked, in its order. */
  requests: readonly ModelRequest[];
  /** How many requests to the outside went wrong, by place, and how often D1 was away. */
  faults: { model: number; delivery: number; d1: number };
  /** The heartbeats of the agent that has some. */
  beats: Beats;
  /** How many minutes the clock told. */
  ticks: number;
  /** What was wrong with the deletion of a session at the end. */
  deletion: readonly Breach[];
  /** How many calls a person was asked for and allowed. */
  approvals: number;
  /** What the platforms took, each in its order. */
  delivered: readonly Delivered[];
}

/** What one session and its readers know. */
export interface SessionEvidence {
  session: PlannedSession;
  sent: readonly SentMessage[];
  history: readonly HistoryMessage[];
  /** Every run that the index or an answer names, and the session knows. */
  runs: readonly RunView[];
  /** The deliveries that the session lists as not arrived, or perhaps not, by their text. */
  lost: readonly string[];
  /** Those that the session does not know. */
  unknownRuns: readonly string[];
  /** The status of each run in the index of all runs. */
  indexed: ReadonlyMap<string, string>;
  /** Whether it is a sub-agent's. */
  isChild: boolean;
  /** How the run ended that has started it, if it is a sub-agent's. */
  parentStatus?: RunView["status"] | undefined;
  /** What was reconstructed by those who read all the time. */
  readers: readonly ReaderEvidence[];
  /** What was reconstructed by one who read everything once, at the end. */
  audit: Story;
}

export interface ReaderEvidence {
  name: string;
  story: Story;
}

/** One message that a platform took. */
export interface Delivered {
  /** The person's id. */
  chat: string;
  /** The number of the message that it answers. */
  replyTo: number;
  text: string;
}

/** How often a job's message was rightly taken up again: after each run of it that failed but the last. */
export function retriesOf(
  { message }: SentMessage,
  { history, runs }: Pick<SessionEvidence, "history" | "runs">,
): number {
  if (message.door !== "job") return 0;
  const inRuns = history.flatMap((entry) =>
    entry.role === "user" && entry.text.includes(message.text) ? [entry.runId] : [],
  );
  const hasFailed = (runId: string | undefined) => runs.some((run) => run.runId === runId && run.status === "error");
  return inRuns.slice(0, -1).filter(hasFailed).length;
}
