import type { Block, BlockSize } from "../../agent/block-chunker.ts";
import type { EventBody } from "../../agent/events.ts";
import { type FinalReply, quotedReasoning, repeats } from "../../agent/reply.ts";
import { createReplyStream, type ReplyStream } from "../../agent/reply-stream.ts";
import { callLine, resultText } from "../../agent/tool-line.ts";
import type { Target } from "../../channels/channel.ts";
import type { Agent } from "../../config/agents.ts";
import type { VisibleReplies } from "../../config/group-chat.ts";
import {
  type AssistantMessage,
  type Directives,
  messageText,
  reasoningText,
  type ToolCallPart,
  type ToolMessage,
} from "../../models/message.ts";
import { failureIn, filesSentByTool, sentByTool } from "../../session-store/delivered-text.ts";
import type { EventLog } from "../../session-store/event-log.ts";
import type { Fence } from "../../session-store/fence.ts";
import { enqueue, type OutboxPart } from "../../session-store/outbox.ts";
import type { PausedRun } from "../../session-store/run.ts";
import type { JournalObserver } from "../../session-store/run-journal.ts";
import type { Answering } from "../../session-store/run-result.ts";
import type { Preferences } from "../../session-store/session-settings.ts";
import type { Store } from "../../session-store/store.ts";
import type { DeliverySource } from "../../session-store/stored-shapes.ts";
import type { ActiveRun } from "../active-run.ts";
import { MAX_PARTS } from "./bounded-parts.ts";

/** Dependencies of `RunOutput`. */
export interface RunOutputDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  /** Formats a text for its channel. Never throws. */
  format(target: Target, markdown: string, answering: Answering): OutboxPart[];
  /** Formats the approval question of a paused run. */
  formatApprovalQuestion(row: Pick<ActiveRun["row"], "target">, state: PausedRun): OutboxPart[];
  /** Sends the outbox after the current commit. */
  send(): void;
  /** How long a block waits after the one before it, in milliseconds. */
  pauseMs(): number;
  now(): number;
}

/**
 * What a run sends to its conversation before its end: tool calls and reasoning where enabled, and replies in blocks.
 * Each part is enqueued in the commit of what it describes, so nothing is sent twice. The sent part of an abandoned
 * reply stays in the transcript, see `keepUnfinished`.
 */
export class RunOutput implements JournalObserver {
  readonly #deps: RunOutputDeps;
  readonly #run: Pick<ActiveRun, "row" | "signal">;
  readonly #policy: OutputPolicy;
  /** The answering model, `provider/model`. */
  readonly #model: string;
  #reply: Reply;
  /** Whether nothing of a reply was sent yet. */
  #isFirst = true;

  constructor(deps: RunOutputDeps, run: Pick<ActiveRun, "row" | "signal">, policy: OutputPolicy, model: string) {
    this.#deps = deps;
    this.#run = run;
    this.#policy = policy;
    this.#model = model;
    this.#reply = newReply(policy);
  }

  /** Whether the text of the run's replies stays in the session. */
  get isPrivate(): boolean {
    return this.#policy.isPrivate;
  }

  /** How many parts of the current reply were sent while it was written. */
  get sentParts(): number {
    return this.#reply.parts;
  }

  /** Whether a part of the current reply was sent while it was written. */
  get isBegun(): boolean {
    return this.#reply.isBegun;
  }

  /** The paths of files that the message tool has sent to the run's own conversation. */
  sentPaths(): ReadonlySet<string> {
    const { row } = this.#run;
    return new Set(row.target === null ? [] : filesSentByTool(this.#deps.store, row.id, row.target));
  }

  /** Handles an event of the run. Complete blocks are stored and sent at once. */
  onEvent(event: EventBody): void {
    if (event.type !== "assistant") return;
    if (event.phase === "restart") this.#reply = newReply(this.#policy);
    if (event.phase !== "delta" || this.#policy.blocks?.at !== "text_end" || this.#run.signal.aborted) return;
    if ("reasoning" in event) {
      this.#reply.reasoning += event.reasoning;
      return;
    }
    this.#reply.isDelivered = true;
    const blocks = this.#reply.stream?.push(event.text) ?? [];
    if (blocks.length > 0 && this.#run.row.target !== null) this.#deps.fence.write(() => this.#sendBlocks(blocks));
  }

  /** Handles the directives that the current reply has contained so far. */
  onDirectives(directives: Directives): void {
    this.#reply.directives = directives;
  }

  /** Sends the text of a reply with tool calls before the calls are launched. */
  onReply(message: AssistantMessage): void {
    this.#reply.directives = message.directives ?? {};
    if (this.#policy.reasoning === "stream") this.#sendReasoning(reasoningText(message));
    this.#sendBlocks(restOf(this.#reply, message));
    if (this.#reply.held !== "") this.#enqueue(this.#reply.held, undefined, { isFirst: false, most: 1 });
    this.#reply = newReply(this.#policy);
  }

  onToolCalls(calls: readonly ToolCallPart[]): void {
    if (this.#policy.verbose !== "off" && calls.length > 0) this.#enqueueAside(calls.map(callLine).join("\n"));
  }

  onToolResult(message: ToolMessage): void {
    if (this.#policy.verbose === "full") this.#enqueueAside(resultText(message));
  }

  /** Sends the approval question to the run's conversation. */
  onPause(state: PausedRun): void {
    const { store, formatApprovalQuestion, send, now } = this.#deps;
    const { row } = this.#run;
    enqueue(store, { runId: row.id, parts: formatApprovalQuestion(row, state) }, now());
    send();
  }

  /** The final reply of the run, without what was sent already. */
  finalReply(message: AssistantMessage): FinalReply {
    const { store } = this.#deps;
    const { row } = this.#run;
    const isShown = this.#policy.reasoning !== "off" && !this.#reply.isReasoningSaid;
    return {
      reasoning: isShown ? reasoningText(message) : "",
      texts: this.#textsOf(message),
      ...(message.error && { error: message.error.message }),
      sent: row.target === null ? [] : sentByTool(store, row.id, row.target),
      partlySent: this.#reply.isBegun,
      failure: () => (this.isPrivate ? undefined : failureIn(store, row)),
      isForVisitor: row.target?.isVisitor ?? false,
    };
  }

  #textsOf(message: AssistantMessage): string[] {
    if (this.isPrivate) return [];
    if (this.#policy.blocks === undefined) return [messageText(message)];
    const rest = restOf(this.#reply, message);
    if (this.#reply.held === "") return rest.map(({ text }) => text);
    return [`${this.#reply.held}${rest.map(({ source }) => source).join("")}`.trim()];
  }

  /** The native reply options of the run's last text. */
  answering(message: AssistantMessage): Answering {
    this.#reply.directives = message.directives ?? {};
    return this.#answering();
  }

  #answering(): Answering {
    const { replyTo } = this.#reply.directives;
    const isAsked = replyTo !== undefined && !this.#reply.isAnswering;
    return { ...(isAsked && { replyTo }), isFirst: this.#isFirst, beginsReply: !this.#reply.isBegun };
  }

  #sendBlocks(blocks: readonly Block[]): void {
    const { store, log } = this.#deps;
    const { row } = this.#run;
    if (row.target === null || blocks.length === 0) return;
    this.#reply.known ??= sentByTool(store, row.id, row.target);
    if (this.#policy.reasoning !== "off") this.#sendReasoning(this.#reply.reasoning);
    for (const { text, source } of blocks) {
      if (this.#reply.parts >= MAX_PARTS - 1) {
        this.#reply.held += source;
        continue;
      }
      const whole = this.#reply.unsent + source;
      const isKnown = repeats(text, this.#reply.known);
      this.#reply.unsent = isKnown ? whole : "";
      if (isKnown) continue;
      this.#reply.after ??= log.lastMessageSeq(row);
      const answering = this.#answering();
      const pauseMs = this.#isFirst ? 0 : this.#deps.pauseMs();
      this.#reply.isBegun = true;
      const said = { kind: "block", source: whole, after: this.#reply.after, model: this.#model } as const;
      this.#enqueue(text, said, answering, pauseMs);
      this.#isFirst = false;
      this.#reply.isAnswering ||= answering.replyTo !== undefined;
    }
  }

  #sendReasoning(reasoning: string): void {
    if (this.#reply.isReasoningSaid || reasoning.trim() === "") return;
    this.#reply.isReasoningSaid = true;
    this.#enqueue(quotedReasoning(reasoning));
  }

  /** Sends what is beside the reply. */
  #enqueueAside(markdown: string): void {
    const { store, format, send, now } = this.#deps;
    const { id: runId, target } = this.#run.row;
    if (target === null) return;
    const parts = format(target, markdown, { isFirst: false }).map((part) => ({ ...part, isAside: true }));
    enqueue(store, { runId, parts }, now());
    send();
  }

  #enqueue(markdown: string, said?: DeliverySource, answering: Answering = { isFirst: false }, pauseMs = 0): void {
    const { store, format, send, now } = this.#deps;
    const { id, target } = this.#run.row;
    if (target === null) return;
    const [first, ...others] = format(target, markdown, answering);
    if (first === undefined) return;
    this.#reply.parts += 1 + others.length;
    enqueue(store, { runId: id, parts: [{ ...first, ...(said && { source: said }), pauseMs }, ...others] }, now());
    send();
  }
}

/** The reply that is being written, and what was sent of it. */
interface Reply {
  /** Splits it into blocks; absent if it is sent whole. */
  stream: ReplyStream | undefined;
  /** Its directives so far. */
  directives: Directives;
  /** Whether one of its blocks was sent as the native reply that it requests. */
  isAnswering: boolean;
  /** Whether its text was received as a stream. */
  isDelivered: boolean;
  reasoning: string;
  isReasoningSaid: boolean;
  /** Whether a block of it was sent. */
  isBegun: boolean;
  /** How many parts of it were sent. */
  parts: number;
  /** Source text that waits for the end, because as many parts were sent as a reply may have. */
  held: string;
  /** The run's newest message before it, once read. */
  after: number | undefined;
  /** The texts that the message tool sent before it, once read. */
  known: string[] | undefined;
  /** Source text that was not sent because it repeats a sent message, up to the next block. */
  unsent: string;
}

/** From the fifth block on a reply is sent in messages as long as chats show well. */
const WIDENS = { after: 4, maxChars: 3500 };

function newReply({ blocks }: OutputPolicy): Reply {
  return {
    stream: blocks && createReplyStream({ ...blocks.size, widens: WIDENS }),
    directives: {},
    isAnswering: false,
    isDelivered: false,
    reasoning: "",
    isReasoningSaid: false,
    isBegun: false,
    parts: 0,
    held: "",
    after: undefined,
    known: undefined,
    unsent: "",
  };
}

/** The blocks of a finished reply that were not sent yet; none if replies are sent whole. */
function restOf({ stream, isDelivered }: Reply, message: AssistantMessage): Block[] {
  if (stream === undefined) return [];
  const whole = isDelivered ? [] : stream.push(messageText(message));
  return [...whole, ...stream.end()];
}

/** What a run sends besides its reply, and whether replies are sent in blocks. */
export interface OutputPolicy {
  /** Tool calls as they happen: none, one line each, or also the beginning of their results. */
  verbose: "off" | "on" | "full";
  /** The model's reasoning: none, before the reply, or of every reply when it is finished. */
  reasoning: "off" | "on" | "stream";
  /** Whether only the message tool sends: the text of replies stays in the session. */
  isPrivate: boolean;
  /** Set if replies are sent in blocks: while they are written, or when they are finished. */
  blocks?: { at: "text_end" | "message_end"; size: BlockSize };
}

/** What the policy depends on besides the session and the agent. */
export interface OutputTarget {
  /** The account's setting for block streaming. */
  inBlocks: boolean | undefined;
  /** Whether message hooks must see replies before they are sent: then they are sent whole, at the end. */
  isVetted: boolean;
  /** Which replies are visible in the conversation. */
  visible: VisibleReplies;
}

/** The output policy of a run. */
export function outputPolicy(
  { verbose, reasoning }: Pick<Preferences, "verbose" | "reasoning">,
  { defaults }: Pick<Agent, "defaults">,
  { inBlocks = defaults.blockStreamingDefault === "on", isVetted, visible }: OutputTarget,
): OutputPolicy {
  if (visible === "message_tool") return { verbose, reasoning: "off", isPrivate: true };
  if (isVetted) return { verbose, reasoning: reasoning === "off" ? "off" : "on", isPrivate: false };
  const blocks = { at: defaults.blockStreamingBreak, size: defaults.blockStreamingChunk };
  return { verbose, reasoning, isPrivate: false, ...(inBlocks && { blocks }) };
}
