import type { ApprovalQuestion, Journal, Verdict } from "../agent/journal.ts";
import type { JsonObject } from "../lib/json.ts";
import { head } from "../lib/text.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage, UserMessage } from "../models/message.ts";
import type { EventLog } from "./event-log.ts";
import type { Fence } from "./fence.ts";
import { newApprovalId, objectNameOfRun } from "./locate.ts";
import { type Approval, launched, type PausedRun, paused, type RunningRun, replied } from "./run.ts";
import { type OpenRun, saveState } from "./runs.ts";
import type { Store } from "./store.ts";

/** Characters of JSON that a run adds to what was read of the conversation before it is read, and cut, anew. */
const MAX_APPENDED_CHARS = 400_000;
/** Most characters of a question to a person. */
const MAX_QUESTION_CHARS = 2000;

/** What the journal of a run is written with. */
export interface JournalRoom {
  store: Store;
  log: EventLog;
  fence: Fence;
  /** The messages that may join the run: whether there are any, and taking them, which stores them. */
  joiners: { waiting(): boolean; take(): Message[] };
  /** What a model sees of the conversation so far; read anew once the run has made it much longer. */
  readContext(): Message[];
}

/** The journal of one run in the session's database: each verb is one commit, fenced against other incarnations. */
export class RunJournal implements Journal {
  readonly #room: JournalRoom;
  readonly #row: OpenRun;
  /** Calls that an earlier incarnation launched. */
  #inherited: ReadonlySet<string>;
  #messages: Message[] | undefined;
  #appendedChars = 0;
  #state: RunningRun | PausedRun;

  constructor(room: JournalRoom, row: OpenRun, state: RunningRun) {
    this.#room = room;
    this.#row = row;
    this.#inherited = new Set(state.launched);
    this.#state = state;
  }

  /** The run as it was last stored. */
  get state(): RunningRun | PausedRun {
    return this.#state;
  }

  get interruptedAsks(): number {
    return this.#state.crashes;
  }

  context(): Message[] {
    this.#messages ??= this.#room.readContext();
    return this.#messages;
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

  hasNews(): boolean {
    return this.#room.joiners.waiting();
  }

  takeNews(): void {
    const messages = this.context();
    messages.push(...this.#room.joiners.take());
  }

  restarting(): boolean {
    return false;
  }

  /** Stores what the system itself tells the model. */
  told(message: UserMessage): void {
    this.#room.fence.write(() => this.#append(message));
  }

  answered(message: AssistantMessage): void {
    this.#room.fence.write(() => {
      this.#append(message);
      this.#state = replied(this.#running(), message.usage);
      this.#inherited = new Set();
    });
  }

  launching(calls: readonly ToolCallPart[]): void {
    const ids = calls.map((call) => call.callId);
    this.#room.fence.write(() => {
      this.#save(launched(this.#running(), ids));
      const starts = calls.map(
        ({ callId, tool, args }) => ({ type: "tool", phase: "start", callId, tool, args }) as const,
      );
      this.#room.log.record(this.#row.id, Date.now(), starts);
    });
  }

  returned(message: ToolMessage): void {
    this.#room.fence.write(() => this.#append(message));
  }

  pausing(questions: readonly ApprovalQuestion[]): void {
    const now = Date.now();
    const objectName = objectNameOfRun(this.#row.id) ?? "";
    const approvals: Approval[] = questions.map(({ call: { callId, tool, args }, question }) => ({
      id: newApprovalId(objectName, now),
      ...{ callId, tool, args, question: head(question, MAX_QUESTION_CHARS), requestedAt: now },
    }));
    this.#room.fence.write(() => {
      this.#save(paused(this.#running(), approvals, now));
      const requests = approvals.map(({ id: approvalId, callId, tool, args, question }) => {
        return { type: "approval", phase: "requested", approvalId, callId, tool, args, question } as const;
      });
      this.#room.log.record(this.#row.id, now, requests);
    });
  }

  #running(): RunningRun {
    if (this.#state.status !== "running") throw new Error("The run waits for a person.");
    return this.#state;
  }

  #save(state: RunningRun | PausedRun): void {
    saveState(this.#room.store, this.#row.id, state);
    this.#state = state;
  }

  #append(message: Message): void {
    const messages = this.context();
    this.#room.log.append(this.#row.id, message);
    messages.push(message);
    this.#appendedChars += JSON.stringify(message).length;
    if (this.#appendedChars <= MAX_APPENDED_CHARS) return;
    this.#messages = undefined;
    this.#appendedChars = 0;
  }
}
