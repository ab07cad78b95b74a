import type { ApprovalQuestion, Journal, NewSummary, Verdict, View } from "../../src/agent/journal.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage, Usage } from "../../src/models/message.ts";

/** A journal in memory with parts that a test can set. */
export class MemoryJournal implements Journal {
  messages: Message[] = [{ role: "user", id: "msg_0", at: 0, text: "Go" }];
  readonly launched: string[][] = [];
  readonly paused: string[] = [];
  readonly summaries: NewSummary[] = [];
  readonly refused: string[] = [];
  spentInVain = 0;
  readonly prunings: (string | undefined)[] = [];
  interruptedAsks = 0;
  isFlushDue = false;
  flushReplies: number | undefined;
  before = new Set<string>();
  verdicts = new Map<string, Verdict>();
  allowed = new Map<string, JsonObject>();
  news: string[] = [];
  #outer: Message[] = [];

  context = (): Message[] => this.messages;
  view = (): View => ({ messages: this.messages, pinned: 0, countedFrom: this.messages.length, isFull: false });
  wasLaunched = (callId: string): boolean => this.before.has(callId);
  restarting = (): boolean => false;
  launching = (calls: readonly ToolCallPart[]) => void this.launched.push(calls.map(({ callId }) => callId));
  returned = (message: ToolMessage) => void this.messages.push(message);
  hasPendingInput = (): boolean => this.news.length > 0;
  verdictOn = (callId: string): Verdict | undefined => this.verdicts.get(callId);
  allowedArgs = (callId: string): JsonObject | undefined => this.allowed.get(callId);
  pausing = (questions: readonly ApprovalQuestion[]) =>
    void this.paused.push(...questions.map(({ question }) => question));
  pruned = (beforeId: string | undefined) => void this.prunings.push(beforeId);
  compacting = (): void => undefined;

  notCompacted(_: unknown, why: string, { input }: Usage): void {
    this.refused.push(why);
    this.spentInVain += input;
  }

  answered(message: AssistantMessage): void {
    this.messages.push(message);
    if (this.flushReplies !== undefined) this.flushReplies++;
  }

  takePendingInput(): void {
    for (const text of this.news.splice(0)) this.messages.push({ role: "user", id: "msg_n", at: 0, text });
  }

  compacted(summary: NewSummary): void {
    this.summaries.push(summary);
    const kept = this.messages.slice(this.messages.findIndex(({ id }) => id === summary.keptId));
    this.messages = [{ role: "user", id: "msg_summary", at: 0, text: summary.text }, ...kept];
  }

  flushing(prompt: string): void {
    this.isFlushDue = false;
    this.flushReplies = 0;
    this.#outer = [...this.messages];
    this.messages.push({ role: "user", id: "msg_flush", at: 0, text: prompt, inner: true });
  }

  flushed(): void {
    this.flushReplies = undefined;
    this.messages = this.#outer;
  }

  results(): (string | boolean)[][] {
    return this.messages.flatMap((message) =>
      message.role === "tool" ? [[message.callId, message.text, message.isError]] : [],
    );
  }
}
