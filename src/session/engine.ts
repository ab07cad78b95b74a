import type { EventBody, RunError } from "../agent/events.ts";
import { openCalls } from "../agent/loop.ts";
import type { Target } from "../channels/channel.ts";
import { newId } from "../lib/ids.ts";
import { log as writeLog } from "../lib/log.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage, Usage, UserMessage } from "../models/message.ts";
import { addUsage, NO_USAGE } from "../models/message.ts";
import type { EventLog } from "./event-log.ts";
import { type Fence, Superseded } from "./fence.ts";
import { enqueueReply } from "./outbox.ts";
import type { EndedRun, RunInput, RunningRun } from "./run.ts";
import { begin, crashed, end, isEnded, MAX_CRASHES } from "./run.ts";
import { RunJournal } from "./run-journal.ts";
import { findRun, findRunByKey, insertRun, openRuns, type RunRow, saveState } from "./runs.ts";
import { type Speaker, speakerOf } from "./speaker.ts";
import type { Store } from "./store.ts";

/** How a turn says that its run is over. */
export interface Conclusion {
  status: EndedRun["status"];
  /** The last reply, not stored yet. */
  message?: AssistantMessage;
  error?: RunError;
  /** What to say, as Markdown, where the run came from; empty for nothing. */
  text: string;
}

/** A run that has its turn. */
export interface ActiveRun {
  row: RunRow;
  speaker: Speaker;
  journal: RunJournal;
  signal: AbortSignal;
}

/** What the engine needs of the world. */
export interface EnginePorts {
  store: Store;
  log: EventLog;
  fence: Fence;
  now(): number;
  /** What a model sees of the conversation so far, oldest first. */
  readContext(): Message[];
  /** Does the work of a run. A rejection ends the run with an error. */
  perform(run: ActiveRun): Promise<Conclusion>;
  /** Cuts a reply into what its channel takes, in its markup. Never throws. */
  format(target: Target, markdown: string): string[];
}

const ABORTED: Conclusion = {
  status: "aborted",
  error: { code: "aborted", message: "The run was stopped." },
  text: "",
};

/** What accepting needs to know. */
export interface NewRun {
  runId: string;
  idempotencyKey: string | null;
  input: RunInput;
  target: Target | null;
}

/**
 * Runs a session's runs, one at a time, in the order in which they were accepted.
 *
 * What is true is in storage; memory holds the handle of the run that this incarnation works on, and who waits.
 */
export class Engine {
  readonly #ports: EnginePorts;
  #active: { runId: string; stop: AbortController } | undefined;
  readonly #waiting = new Map<string, Set<(state: EndedRun) => void>>();

  constructor(ports: EnginePorts) {
    this.#ports = ports;
  }

  /** Whether this incarnation works on a run. */
  get busy(): boolean {
    return this.#active !== undefined;
  }

  /** Stores a run once for each idempotency key. Gives the row that is there now. To be called within the fence. */
  accept(run: NewRun): RunRow {
    const { store, now } = this.#ports;
    const known = run.idempotencyKey === null ? undefined : findRunByKey(store, run.idempotencyKey);
    if (known !== undefined) return known;
    const { runId: id, ...rest } = run;
    const row: RunRow = { id, ...rest, open: true, state: { status: "queued" }, acceptedAt: now() };
    insertRun(store, row);
    return row;
  }

  /**
   * Gives the next run its turn where none has it. The promise is that of the turn, which never rejects.
   * A run that an earlier incarnation left behind goes first and goes on from where it was.
   */
  next(): Promise<void> | undefined {
    if (this.#active !== undefined) return undefined;
    const row = openRuns(this.#ports.store).find((candidate) => !isEnded(candidate.state));
    if (row === undefined) return undefined;
    const stop = new AbortController();
    this.#active = { runId: row.id, stop };
    const state = this.#ports.fence.write(() => this.#takeUp(row));
    return this.#work(row, state, stop);
  }

  /** Asks a run to stop. The wish is stored, so that it holds over a crash. Gives the run as it is now. */
  abort(runId: string): RunRow | undefined {
    const { store, fence } = this.#ports;
    const row = findRun(store, runId);
    if (row === undefined || isEnded(row.state)) return row;
    if (row.state.status === "queued") {
      this.#finish(row, ABORTED, []);
      return findRun(store, runId);
    }
    const state: RunningRun = { ...row.state, abortRequested: true };
    fence.write(() => saveState(store, runId, state));
    if (this.#active?.runId === runId) this.#active.stop.abort("aborted");
    return { ...row, state };
  }

  /** How a run ended, as soon as it has; undefined after `timeoutMs`. */
  async waitFor(runId: string, timeoutMs: number): Promise<EndedRun | undefined> {
    const row = findRun(this.#ports.store, runId);
    if (row === undefined) return undefined;
    if (isEnded(row.state)) return row.state;
    const waiting = this.#waiting.get(runId) ?? new Set();
    this.#waiting.set(runId, waiting);
    return new Promise((resolve) => {
      const done = (state: EndedRun | undefined) => {
        clearTimeout(timer);
        waiting.delete(done);
        resolve(state);
      };
      const timer = setTimeout(() => done(undefined), timeoutMs);
      waiting.add(done);
    });
  }

  /** Makes a run that is due running, or counts one more crash of one that was. */
  #takeUp(row: RunRow): RunningRun {
    const { store, log, now } = this.#ports;
    if (row.state.status === "running") {
      const state = crashed(row.state, log.lastOf(row.id));
      saveState(store, row.id, state);
      return state;
    }
    if (row.input === null) throw new IsopodError("internal", `Run ${row.id} is queued and has no input.`);
    const seq = log.append(row.id, userMessage(row.input, now()));
    const state = begin(now(), seq, row.input);
    saveState(store, row.id, state);
    return state;
  }

  async #work(row: RunRow, state: RunningRun, stop: AbortController): Promise<void> {
    const { store, log, fence, now, readContext } = this.#ports;
    const left = state.deadline === undefined ? undefined : state.deadline - now();
    const timer = left === undefined ? undefined : setTimeout(() => stop.abort("timeout"), Math.max(left, 0));
    if (state.abortRequested) stop.abort("aborted");
    const journal = new RunJournal({ store, log, fence }, row.id, state, readContext);
    try {
      const speaker = speakerOf(journal.context(), row.target);
      const conclusion = await this.#conclude({ row, speaker, journal, signal: stop.signal });
      this.#finish({ ...row, state: journal.state }, conclusion, unansweredIn(journal));
    } catch (error) {
      writeLog("error", "run.lost", { runId: row.id, error: messageOf(error) });
      if (!(error instanceof Superseded)) this.#finish({ ...row, state }, failure(error), unansweredIn(journal));
    } finally {
      clearTimeout(timer ?? null);
      log.forget(row.id);
      this.#active = undefined;
    }
  }

  async #conclude(run: ActiveRun): Promise<Conclusion> {
    const { crashes } = run.journal.state;
    if (crashes >= MAX_CRASHES) {
      const message = `The run was interrupted ${crashes} times without getting any further.`;
      return { status: "error", error: { code: "crash_loop", message }, text: message };
    }
    if (run.signal.aborted) return stopped(run.signal);
    try {
      return await this.#ports.perform(run);
    } catch (error) {
      if (error instanceof Superseded) throw error;
      return failure(error);
    }
  }

  /** Ends a run: one commit with its last reply, results for calls that have none, the last event and the outbox. */
  #finish(row: RunRow, conclusion: Conclusion, unanswered: readonly ToolCallPart[]): void {
    const { store, log, fence, now, format } = this.#ports;
    const parts = row.target === null || conclusion.text === "" ? [] : format(row.target, conclusion.text);
    const state = fence.write(() => {
      for (const call of unanswered) log.append(row.id, interruptedResult(call, now()));
      if (conclusion.message !== undefined) log.append(row.id, conclusion.message);
      const before = row.state.status === "running" ? row.state.usage : NO_USAGE;
      const usage = addUsage(before, conclusion.message?.usage ?? NO_USAGE);
      const endSeq = log.record(row.id, now(), [lastEvent(conclusion, usage)]);
      const ended = end(row.state, {
        status: conclusion.status,
        endedAt: now(),
        endSeq,
        usage,
        ...(conclusion.message && { model: conclusion.message.model }),
        ...(conclusion.error && { error: conclusion.error }),
      });
      saveState(store, row.id, ended);
      if (row.target !== null) enqueueReply(store, row.id, row.target, parts, now());
      return ended;
    });
    for (const done of this.#waiting.get(row.id) ?? []) done(state);
    this.#waiting.delete(row.id);
  }
}

/** How a run ends whose signal aborted. */
export function stopped(signal: AbortSignal): Conclusion {
  if (signal.reason === "timeout") {
    const message = "The run took too long and was stopped.";
    return { status: "timeout", error: { code: "timeout", message }, text: message };
  }
  return ABORTED;
}

/** The calls that a run leaves without a result; none where its transcript cannot be read. */
function unansweredIn(journal: RunJournal): ToolCallPart[] {
  try {
    return openCalls(journal.context());
  } catch (error) {
    writeLog("error", "transcript.unreadable", { error: messageOf(error) });
    return [];
  }
}

function failure(thrown: unknown): Conclusion {
  const message = messageOf(thrown);
  const code = thrown instanceof IsopodError && thrown.code === "not_configured" ? thrown.code : "internal";
  return { status: "error", error: { code, message }, text: message };
}

function lastEvent(conclusion: Conclusion, usage: Usage): EventBody {
  return conclusion.error === undefined
    ? { type: "lifecycle", phase: "end", usage }
    : { type: "lifecycle", phase: "error", error: conclusion.error };
}

function userMessage(input: RunInput, at: number): UserMessage {
  return {
    role: "user",
    id: newId("msg", at),
    at,
    text: input.text,
    ...(input.images && { images: input.images }),
    ...(input.sender && { sender: input.sender }),
  };
}

function interruptedResult(call: ToolCallPart, at: number): ToolMessage {
  const text = "interrupted: it may or may not have taken effect";
  return { role: "tool", id: newId("msg", at), at, callId: call.callId, tool: call.tool, text, isError: true };
}
