import type { Block } from "../../agent/block-chunker.ts";
import type { EventBody } from "../../agent/events.ts";
import { type FinalReply, quotedReasoning, repeats } from "../../agent/reply.ts";
import { createReplyStream, type ReplyStream } from "../../agent/reply-stream.ts";
import { callLine, resultText } from "../../agent/tool-line.ts";
import type { Target } from "../../channels/channel.ts";
import {
  type AssistantMessage,
  type Directives,
  messageText,
  reasoningText,
  type ToolCallPart,
  type ToolMessage,
} from "../../models/message.ts";
import { failureIn, sentByTool } from "../../session-store/delivered-text.ts";
import type { EventLog } from "../../session-store/event-log.ts";
import type { Fence } from "../../session-store/fence.ts";
import { enqueue, type OutboxPart } from "../../session-store/outbox.ts";
import type { PausedRun } from "../../session-store/run.ts";
import type { JournalObserver } from "../../session-store/run-journal.ts";
import type { Answering } from "../../session-store/run-result.ts";
import type { Store } from "../../session-store/store.ts";
import type { DeliverySource } from "../../session-store/stored-shapes.ts";
import type { ActiveRun } from "../active-run.ts";
import type { OutputPolicy } from "./output-policy.ts";

/** What a run speaks with. */
export interface RunOutputDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  /** Cuts a text into what its channel takes, in its markup. Never throws. */
  format(target: Target, markdown: string, answering: Answering): OutboxPart[];
  /** The question of a run that waits for a person. */
  formatApprovalQuestion(row: Pick<ActiveRun["row"], "target">, state: PausedRun): OutboxPart[];
  /** Sends what is in the outbox once the commit at hand stands. */
  send(): void;
  now(): number;
}

/**
 * What a run says where it came from before its end: tool calls and reasoning where people want to see them, and its
 * replies in blocks. Each is in the outbox in the commit of what it tells of, so that nothing is said twice; what was sent
 * of a reply that is then given up stays in the transcript, see `keepUnfinished`.
 */
export class RunOutput implements JournalObserver {
  readonly #deps: RunOutputDeps;
  readonly #run: Pick<ActiveRun, "row" | "signal">;
  readonly #policy: OutputPolicy;
  /** `provider/model` that answers. */
  readonly #model: string;
  #reply: Reply;
  /** Whether nothing of an answer was sent yet. */
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

  /** Whether a part of the reply at hand was sent while it was being written. */
  get isBegun(): boolean {
    return this.#reply.isBegun;
  }

  /** Hears what happens in the run as it happens. Blocks that are complete are stored, and on their way, at once. */
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

  /** Hears what the reply that is being made has asked for so far. */
  onDirectives(directives: Directives): void {
    this.#reply.directives = directives;
  }

  /** A reply that asks for tools says what it has to say before they are launched. */
  onReply(message: AssistantMessage): void {
    this.#reply.directives = message.directives ?? {};
    if (this.#policy.reasoning === "stream") this.#sendReasoning(reasoningText(message));
    this.#sendBlocks(restOf(this.#reply, message));
    this.#reply = newReply(this.#policy);
  }

  onToolCalls(calls: readonly ToolCallPart[]): void {
    if (this.#policy.verbose !== "off" && calls.length > 0) this.#enqueue(calls.map(callLine).join("\n"));
  }

  onToolResult(message: ToolMessage): void {
    if (this.#policy.verbose === "full") this.#enqueue(resultText(message));
  }

  /** People are asked where the run came from. */
  onPause(state: PausedRun): void {
    const { store, formatApprovalQuestion, send, now } = this.#deps;
    const { row } = this.#run;
    enqueue(store, { runId: row.id, parts: formatApprovalQuestion(row, state) }, now());
    send();
  }

  /** What is known of what there is to say at the end of the run, which ends on this reply. */
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
    };
  }

  #textsOf(message: AssistantMessage): string[] {
    if (this.isPrivate) return [];
    const isBlocks = this.#policy.blocks !== undefined;
    return isBlocks ? restOf(this.#reply, message).map(({ text }) => text) : [messageText(message)];
  }

  /** What the text at the end of the run answers natively. */
  answering(message: AssistantMessage): Answering {
    this.#reply.directives = message.directives ?? {};
    return this.#answering();
  }

  #answering(): Answering {
    const { replyTo } = this.#reply.directives;
    const isAsked = replyTo !== undefined && !this.#reply.isAnswering;
    return { ...(isAsked && { replyTo }), isFirst: this.#isFirst };
  }

  #sendBlocks(blocks: readonly Block[]): void {
    const { store, log } = this.#deps;
    const { row } = this.#run;
    if (row.target === null || blocks.length === 0) return;
    this.#reply.known ??= sentByTool(store, row.id, row.target);
    if (this.#policy.reasoning !== "off") this.#sendReasoning(this.#reply.reasoning);
    for (const { text, source } of blocks) {
      const whole = this.#reply.unsent + source;
      const isKnown = repeats(text, this.#reply.known);
      this.#reply.unsent = isKnown ? whole : "";
      if (isKnown) continue;
      this.#reply.after ??= log.lastMessageSeq(row);
      this.#reply.isBegun = true;
      const answering = this.#answering();
      this.#enqueue(text, { kind: "block", source: whole, after: this.#reply.after, model: this.#model }, answering);
      this.#isFirst = false;
      this.#reply.isAnswering ||= answering.replyTo !== undefined;
    }
  }

  #sendReasoning(reasoning: string): void {
    if (this.#reply.isReasoningSaid || reasoning.trim() === "") return;
    this.#reply.isReasoningSaid = true;
    this.#enqueue(quotedReasoning(reasoning));
  }

  #enqueue(markdown: string, said?: DeliverySource, answering: Answering = { isFirst: false }): void {
    const { store, format, send, now } = this.#deps;
    const { id, target } = this.#run.row;
    if (target === null) return;
    const [first, ...others] = format(target, markdown, answering);
    if (first === undefined) return;
    enqueue(store, { runId: id, parts: [{ ...first, ...(said && { source: said }) }, ...others] }, now());
    send();
  }
}

/** The reply that is being made, and what people know of it. */
interface Reply {
  /** Makes blocks of it; absent where it leaves whole. */
  stream: ReplyStream | undefined;
  /** What it asks for, as far as that was heard. */
  directives: Directives;
  /** Whether a block of it answers a message because it asks for that. */
  isAnswering: boolean;
  /** Whether its text was heard as it came. */
  isDelivered: boolean;
  reasoning: string;
  isReasoningSaid: boolean;
  /** Whether a block of it was sent. */
  isBegun: boolean;
  /** The run's newest message before it, once that was looked up. */
  after: number | undefined;
  /** What the message tool had sent before it, once that was looked up. */
  known: string[] | undefined;
  /** What people did not have to be sent, up to the next block. */
  unsent: string;
}

function newReply({ blocks }: OutputPolicy): Reply {
  return {
    stream: blocks && createReplyStream(blocks.size),
    directives: {},
    isAnswering: false,
    isDelivered: false,
    reasoning: "",
    isReasoningSaid: false,
    isBegun: false,
    after: undefined,
    known: undefined,
    unsent: "",
  };
}

/** What was not given yet of a reply that is finished; nothing where replies leave whole. */
function restOf({ stream, isDelivered }: Reply, message: AssistantMessage): Block[] {
  if (stream === undefined) return [];
  const whole = isDelivered ? [] : stream.push(messageText(message));
  return [...whole, ...stream.end()];
}
