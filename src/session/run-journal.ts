import type { Journal } from "../agent/loop.ts";
import { callsOf, addUsage } from "../models/message.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from "../models/message.ts";
import type { EventLog } from "./event-log.ts";
import type { Fence } from "./fence.ts";
import type { RunningRun } from "./run.ts";
import { saveState } from "./runs.ts";
import type { Store } from "./store.ts";

/** The journal of one run in the session's database: each verb is one commit, fenced against other incarnations. */
export class RunJournal implements Journal {
  readonly #runId: string;
  readonly #store: Store;
  readonly #log: EventLog;
  readonly #fence: Fence;
  readonly #readContext: () => Message[];
  /** Calls that an earlier incarnation launched. */
  readonly #inherited: ReadonlySet<string>;
  #messages: Message[] | undefined;
  #state: RunningRun;

  /** @param readContext what the model sees so far; read once, when it is first asked for */
  constructor(at: { store: Store; log: EventLog; fence: Fence }, runId: string, state: RunningRun, readContext: () => Message[]) {
    this.#runId = runId;
    this.#store = at.store;
    this.#log = at.log;
    this.#fence = at.fence;
    this.#readContext = readContext;
    this.#inherited = new Set(state.launched);
    this.#state = state;
  }

  /** The run as it was last stored. */
  get state(): RunningRun {
    return this.#state;
  }

  get interruptedAsks(): number {
    return this.#state.crashes;
  }

  context(): Message[] {
    this.#messages ??= this.#readContext();
    return this.#messages;
  }

  wasLaunched(callId: string): boolean {
    return this.#inherited.has(callId);
  }

  answered(message: AssistantMessage): void {
    this.#fence.write(() => {
      this.#append(message);
      this.#state = { ...this.#state, usage: addUsage(this.#state.usage, message.usage) };
    });
  }

  launching(calls: readonly ToolCallPart[]): void {
    this.#fence.write(() => {
      const reply = this.context().findLast((message) => message.role === "assistant");
      const current = new Set(reply?.role === "assistant" ? callsOf(reply).map((call) => call.callId) : []);
      const earlier = this.#state.launched.filter((callId) => current.has(callId));
      this.#state = { ...this.#state, launched: [...earlier, ...calls.map((call) => call.callId)] };
      saveState(this.#store, this.#runId, this.#state);
      const starts = calls.map(({ callId, tool, args }) => ({ type: "tool", phase: "start", callId, tool, args }) as const);
      this.#log.record(this.#runId, Date.now(), starts);
    });
  }

  returned(message: ToolMessage): void {
    this.#fence.write(() => this.#append(message));
  }

  #append(message: Message): void {
    const messages = this.context();
    this.#log.append(this.#runId, message);
    messages.push(message);
  }
}
