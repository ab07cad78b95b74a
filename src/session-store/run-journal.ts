import type { CompactionReason } from "../agent/events.ts";
import type { ApprovalQuestion, Journal, NewSummary, Verdict, View } from "../agent/journal.ts";
import { SUMMARY_SYSTEM } from "../agent/summary-prompt.ts";
import { newApprovalId, objectNameOfRun } from "../config/session-ids.ts";
import { newId } from "../lib/ids.ts";
import type { JsonObject } from "../lib/json.ts";
import { head } from "../lib/text.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage, Usage, UserMessage } from "../models/message.ts";
import { withLabels } from "../models/view-labels.ts";
import { isFlushDue, saveCompaction } from "./compactions.ts";
import { keepInterruptedReply } from "./delivered-text.ts";
import type { EventLog } from "./event-log.ts";
import type { Fence } from "./fence.ts";
import { findMessageSeq } from "./message-pages.ts";
import {
  type Approval,
  flushed,
  flushing,
  launched,
  type PausedRun,
  type PromptRef,
  paused,
  prompted,
  type RunningRun,
  replied,
  spent,
} from "./run.ts";
import { type OpenRun, saveState } from "./runs.ts";
import { readSessionRow, saveFlushed, savePruned } from "./session-row.ts";
import type { Store } from "./store.ts";

/** Characters of JSON that a run may append to its view before the view is read again and trimmed. */
const MAX_APPENDED_CHARS = 400_000;
/** Most characters of an approval question. */
const MAX_QUESTION_CHARS = 2000;

/** Dependencies of `RunJournal`. */
export interface RunJournalDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  /** The waiting messages that may be merged into the run; `take` stores them. */
  mergeableInput: { waiting(): boolean; take(): MergedInput };
  /** The messages that the model sees; read again once the run has made them much longer. */
  readView(flushFrom: number | undefined): View;
}

/** Messages that were merged into a run, and what was spent on them before. */
export interface MergedInput {
  messages: Message[];
  spent: Usage;
}

/**
 * Observes what a journal stores. It is called within the commit: what it writes is stored together with that, or not
 * at all.
 */
export interface JournalObserver {
  onReply(message: AssistantMessage): void;
  /** Only calls that were not launched before. */
  onToolCalls(calls: readonly ToolCallPart[]): void;
  onToolResult(message: ToolMessage): void;
  /** The run waits for an approval from now on. */
  onPause(state: PausedRun): void;
}

/** The journal of one run in the session's database: each method is one commit within the fence. */
export class RunJournal implements Journal {
  readonly #deps: RunJournalDeps;
  readonly #row: OpenRun;
  /** Calls that an earlier incarnation launched. */
  #inherited: ReadonlySet<string>;
  #view: View | undefined;
  #appendedChars = 0;
  #state: RunningRun | PausedRun;
  #observer: JournalObserver | undefined;

  constructor(deps: RunJournalDeps, row: OpenRun, state: RunningRun) {
    this.#deps = deps;
    this.#row = row;
    this.#inherited = new Set(state.launched);
    this.#state = state;
  }

  /** The last stored state of the run. */
  get state(): RunningRun | PausedRun {
    return this.#state;
  }

  get interruptedAsks(): number {
    return this.#state.crashes;
  }

  /** Sets the observer of later commits. The messages of a memory flush are not observed. */
  observe(observer: JournalObserver): void {
    this.#observer = observer;
  }

  get #activeObserver(): JournalObserver | undefined {
    return this.#state.flush === undefined ? this.#observer : undefined;
  }

  context(): Message[] {
    return this.view().messages;
  }

  view(): View {
    this.#view ??= this.#deps.readView(this.#state.flush?.fromSeq);
    return this.#view;
  }

  wasLaunched(callId: string): boolean {
    return this.#inherited.has(callId);
  }

  verdictOn(callId: string): Verdict | undefined {
    const decision = this.#state.approvals.find((approval) => approval.callId === callId)?.decision;
    if (decision === undefined) return undefined;
    return decision === "deny" ? "deny" : "allow";
  }

  allowedArgs(callId: string): JsonObject | undefined {
    const approval = this.#state.approvals.find((candidate) => candidate.callId === callId);
    return approval?.decision === undefined || approval.decision === "deny" ? undefined : approval.args;
  }

  hasPendingInput(): boolean {
    return this.#state.flush === undefined && this.#deps.mergeableInput.waiting();
  }

  takePendingInput(): void {
    if (this.#state.flush !== undefined) return;
    const context = this.context();
    const { messages, spent: before } = this.#deps.mergeableInput.take();
    context.push(...messages);
    // Stored with the next commit.
    this.#state = spent(this.#running(), before);
  }

  restarting(): boolean {
    const { store, log, fence } = this.#deps;
    const kept = fence.write(() => keepInterruptedReply(store, log, this.#row, Date.now()));
    if (kept !== undefined) this.#forgetView();
    return kept !== undefined;
  }

  /** Notes the prompt that the model is sent; stored with the next commit. */
  prompted(prompt: PromptRef): void {
    this.#state = prompted(this.#state, prompt);
  }

  /** Stores a message from the system to the model. */
  addSystemMessage(message: UserMessage): void {
    this.#deps.fence.write(() => this.#append(message));
  }

  answered(answer: AssistantMessage): void {
    const message = withLabels(answer, this.context());
    this.#deps.fence.write(() => {
      this.#activeObserver?.onReply(message);
      this.#append(message);
      this.#state = replied(this.#running(), message.usage);
      this.#inherited = new Set();
    });
  }

  /**
   * Stores a final reply that is not given, and why, for the model to answer again. People never see either, nor does
   * the model once the run has ended.
   */
  rejected(answer: AssistantMessage, why: string): void {
    const at = Date.now();
    this.#deps.fence.write(() => {
      this.#append({ ...answer, inner: true });
      this.#append({ role: "user", id: newId("msg", at), at, text: why, inner: true });
      this.#save(replied(this.#running(), answer.usage));
      this.#inherited = new Set();
    });
  }

  launching(calls: readonly ToolCallPart[]): void {
    const ids = calls.map((call) => call.callId);
    this.#deps.fence.write(() => {
      this.#save(launched(this.#running(), ids));
      if (this.#state.flush !== undefined) return;
      const starts = calls.map(
        ({ callId, tool, args }) => ({ type: "tool", phase: "start", callId, tool, args }) as const,
      );
      this.#deps.log.record(this.#row.id, Date.now(), starts);
      this.#activeObserver?.onToolCalls(calls.filter((call) => !this.wasLaunched(call.callId)));
    });
  }

  returned(message: ToolMessage, usage?: Usage): void {
    this.#deps.fence.write(() => {
      this.#append(message);
      if (usage !== undefined) this.#save(spent(this.#running(), usage));
      this.#activeObserver?.onToolResult(message);
    });
  }

  pausing(questions: readonly ApprovalQuestion[]): void {
    const now = Date.now();
    const objectName = objectNameOfRun(this.#row.id) ?? "";
    const approvals: Approval[] = questions.map(({ call: { callId, tool, args }, question, grant }) => ({
      id: newApprovalId(objectName, now),
      callId,
      tool,
      args,
      question: head(question, MAX_QUESTION_CHARS),
      requestedAt: now,
      ...(grant && { grant }),
    }));
    this.#deps.fence.write(() => {
      const state = paused(this.#running(), approvals, now);
      this.#save(state);
      this.#activeObserver?.onPause(state);
      const requests = approvals.map(({ id: approvalId, callId, tool, args, question, grant }) => {
        const asked = { approvalId, callId, tool, args, question, ...(grant && { grant }) };
        return { type: "approval", phase: "requested", ...asked } as const;
      });
      this.#deps.log.record(this.#row.id, now, requests);
    });
  }

  pruned(beforeId: string | undefined): void {
    const { store, log, fence } = this.#deps;
    fence.write(() => savePruned(store, this.#seqOf(beforeId) ?? log.lastSeq + 1, log.lastSeq));
    this.#forgetView();
  }

  compacting(reason: CompactionReason, tokensBefore: number): void {
    const { log, fence } = this.#deps;
    const start = { type: "compaction", phase: "start", reason, tokensBefore } as const;
    fence.write(() => log.record(this.#row.id, Date.now(), [start]));
  }

  compacted({ reason, text: summary, keptId, model, usage, tokensBefore, tokensAfter }: NewSummary): void {
    const { store, log, fence } = this.#deps;
    const at = Date.now();
    fence.write(() => {
      const keptSeq = this.#storedSeqOf(keptId);
      if (keptSeq === undefined) throw new Error(`The message ${keptId} is not in the transcript.`);
      const seq = log.record(this.#row.id, at, [
        { type: "compaction", phase: "end", reason, tokensBefore, tokensAfter },
      ]);
      const compaction = { at, reason, summary, model, tokensBefore, tokensAfter, system: SUMMARY_SYSTEM };
      saveCompaction(store, this.#row.id, { seq, keptSeq, compaction });
      this.#save(spent(this.#running(), usage));
    });
    this.#forgetView();
  }

  notCompacted(reason: CompactionReason, message: string, usage: Usage): void {
    const { log, fence } = this.#deps;
    fence.write(() => {
      log.record(this.#row.id, Date.now(), [{ type: "compaction", phase: "error", reason, message }]);
      this.#save(spent(this.#running(), usage));
    });
  }

  get isFlushDue(): boolean {
    return isFlushDue(this.#deps.store);
  }

  get flushReplies(): number | undefined {
    return this.#state.flush?.replies;
  }

  flushing(prompt: string): void {
    const { store, log, fence } = this.#deps;
    const at = Date.now();
    fence.write(() => {
      const fromSeq = log.lastSeq + 1;
      this.#save(flushing(this.#running(), fromSeq));
      saveFlushed(store, fromSeq);
      this.#append({ role: "user", id: newId("msg", at), at, text: prompt });
    });
  }

  flushed(last: AssistantMessage): void {
    this.#deps.fence.write(() => {
      this.#append(last);
      this.#save(flushed(replied(this.#running(), last.usage)));
      this.#inherited = new Set();
    });
    const view = this.view();
    this.#view = { ...view, messages: view.messages.filter(({ inner }) => !inner) };
  }

  #seqOf(id: string | undefined): number | undefined {
    const { store } = this.#deps;
    return id === undefined ? undefined : findMessageSeq(store, id, readSessionRow(store)?.contextSeq ?? 0);
  }

  /** The number of a message, or of the nearest one before it where it is synthetic and not stored. */
  #storedSeqOf(id: string): number | undefined {
    const messages = this.context();
    for (let at = messages.findIndex((message) => message.id === id); at >= 0; at--) {
      const seq = this.#seqOf(messages[at]?.id);
      if (seq !== undefined) return seq;
    }
    return undefined;
  }

  #running(): RunningRun {
    if (this.#state.status !== "running") throw new Error("The run waits for a person.");
    return this.#state;
  }

  #save(state: RunningRun | PausedRun): void {
    saveState(this.#deps.store, this.#row.id, state);
    this.#state = state;
  }

  #append(input: Message): void {
    const messages = this.context();
    const message = this.#state.flush === undefined ? input : { ...input, inner: true as const };
    this.#deps.log.append(this.#row.id, message);
    messages.push(message);
    this.#appendedChars += JSON.stringify(message).length;
    if (this.#appendedChars > MAX_APPENDED_CHARS) this.#forgetView();
  }

  #forgetView(): void {
    this.#view = undefined;
    this.#appendedChars = 0;
  }
}
