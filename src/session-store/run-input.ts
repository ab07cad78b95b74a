import type { AttachmentReference, Target } from "../channels/channel.ts";
import type { JsonObject } from "../lib/json.ts";
import type { AnswerFormat } from "../models/answer-format.ts";
import type { MediaRef, Said, Sender, Usage } from "../models/message.ts";
import type { ThinkingLevel, ToolChoice, ToolSchema } from "../models/model.ts";
import type { Slot } from "../schedule/slots.ts";
import type { Label } from "../security/labels.ts";

/** A file that the session reads before the run begins: at its platform, or where the workspace has it already. */
export type PendingFile = AttachmentReference | (Omit<AttachmentReference, "reference"> & { path: string });

/** The input of a run. */
export interface RunInput {
  text: string;
  images?: { path: string; mediaType: string }[];
  /** PDFs and recordings, for models that take them. */
  media?: MediaRef[];
  /** Files that the session fetches before the run begins: then they are notes in the text, and images. */
  files?: readonly PendingFile[];
  /** Set if some of it was said in a voice note. */
  isSpoken?: true;
  /** What was spent on it before the run begins: on the transcripts of its voice notes. */
  spent?: Usage;
  /** Messages of one sender with the same group are one message in several parts. */
  groupId?: string;
  /** How long an idle session waits for more of the same sender before it begins, in milliseconds. */
  holdMs?: number;
  sender?: Sender;
  /** When, where and by whom it was said; `at` is the instant of its acceptance. Absent for messages of the system. */
  said?: Omit<Said, "at">;
  /** What comes before the words and is already fenced: the message that this one answers. */
  quoted?: string;
  /** Where words in it come from besides its author. */
  labels?: readonly Label[];
  /** The patterns of prompt injections that its words match. */
  suspected?: readonly string[];
  /** `provider/model` to ask instead of the agent's own. */
  model?: string;
  thinking?: ThinkingLevel;
  /** Longest time of the run; 0 means no limit. */
  timeoutSeconds: number;
  /** Where the run comes from; absent for a person's message. Only a person's message delays a session's reset. */
  origin?: RunOrigin;
  /** Set where it must not be merged with other messages, because no model answers it. */
  alone?: true;
  /** Extra context for the model of this run only, below the cache boundary. */
  extraContext?: string;
  /** What the client of the API wants of this run besides an answer. */
  client?: ClientWishes;
  /** The results of calls that an earlier run of the session has made of the client's tools. */
  results?: readonly ClientResult[];
  /** Calls and results that go between these words and the answer, in a session that has not made the calls. */
  replay?: { rounds: readonly ReplayedRound[]; after?: string };
  /** Dropped messages that this one carries a summary of: how many, and the beginnings of the last ones. */
  dropped?: { count: number; begins: string[] };
}

/** What a client of the API wants of a run. */
export interface ClientWishes {
  /** Tools that the client runs itself. */
  tools?: readonly ToolSchema[];
  toolChoice?: ToolChoice;
  format?: AnswerFormat;
  /** Whether it is told of a model's rate limit at once and waits itself, as the clients of OpenAI's API do. */
  waitsItself?: true;
}

/** The result of a call of a client's tool. */
export interface ClientResult {
  callId: string;
  text: string;
}

/** A reply with calls of a client's tools, as the client tells it, and their results. */
export interface ReplayedRound {
  text: string;
  calls: readonly { callId: string; tool: string; args: JsonObject; result: string }[];
}

/** The origin of a run other than a person's message. */
export type RunOrigin =
  /** A queued command; `args` is what was typed after its name. */
  | { kind: "command"; name: string; args: string }
  /** A command that begins a new conversation; the run is its first turn. */
  | { kind: "reset"; name: string; args: string }
  /** `/retry`: the last message is answered again. */
  | { kind: "retry" }
  /** The end of a sub-agent. */
  | { kind: "announcement"; childKey: string; childRunId: string }
  /** The end of a command in the background. */
  | { kind: "process"; process: number }
  /** The task of a sub-agent, or a later message from its parent; `people` is where people wait for the result. */
  | { kind: "spawn"; byRunId: string; spawned: Spawned; people?: Target }
  /** A message from another session's agent; `hops` counts the messages that led to it. */
  | { kind: "nested"; fromKey: string; hops: number }
  /** A message that another session sent to this session's people; it is stored here, and no model is called. */
  | { kind: "delivery"; fromKey: string; text: string }
  /** A group's message that does not address the agent: at most the last `limit` of them are shown to models. */
  | { kind: "overheard"; limit: number }
  /** BOOT.md, once for each deployment. */
  | { kind: "boot" }
  /** A slot of an agent's heartbeat; `hasTexts` where it brings more than its prompt. */
  | ({ kind: "heartbeat"; ackMaxChars: number; showOk?: true; withReasoning?: true; hasTexts?: true } & ScheduledRun)
  /** A slot of a job. `isOnce`: it has no later slot; `isLast`: it is deleted after it has run; `webhook`: an address
   * that what it says is posted to. */
  | ({ kind: "job"; name: string; isOnce?: true; isLast?: true; webhook?: string } & ScheduledRun)
  /** A request to `/hooks`. */
  | ({ kind: "hook"; mapping: string } & BackgroundRun);

/** What a run in the background has besides its input. */
interface BackgroundRun {
  /** Set where it begins a new conversation in its session. */
  isFresh?: true;
  /** Set where its prompt shows no other workspace file than HEARTBEAT.md. */
  isLight?: true;
  /** The session that owns the conversation which the reply goes to, if it is another one. */
  ownerKey?: string;
}

/** A run that the clock has started. */
interface ScheduledRun extends BackgroundRun {
  slot: Slot;
  /** How many runs before it have failed, one after the other. */
  failures: number;
}

/** The parents of a sub-agent. */
export interface Spawned {
  /** Session keys of its ancestors, the nearest first. */
  lineage: string[];
  label: string;
}
