import type { View } from "../agent/journal.ts";
import { openCalls } from "../agent/loop.ts";
import type { GrantScope } from "../agent/tool.ts";
import type { Target } from "../channels/channel.ts";
import { originRules } from "../config/origins.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import type { ToolCallPart } from "../models/message.ts";
import { addUsage, NO_USAGE } from "../models/message.ts";
import type { OperationMeter } from "../services/operations.ts";
import { waitingRuns } from "../session-store/admission.ts";
import { keepInterruptedReply } from "../session-store/delivered-text.ts";
import { Superseded } from "../session-store/fence.ts";
import { continued, skippedResult, userMessage } from "../session-store/messages.ts";
import { mergeable, type NextRun, nextRun, type QueuePolicy, type WaitingRun } from "../session-store/queue.ts";
import {
  begin,
  crashed,
  type Decision,
  decided,
  isBegun,
  isSettled,
  MAX_CRASHES,
  type RunningRun,
  type RunProgress,
  type RunStart,
  type RunState,
  type SettledRun,
  spent,
} from "../session-store/run.ts";
import type { RunInput } from "../session-store/run-input.ts";
import { type MergedInput, RunJournal } from "../session-store/run-journal.ts";
import { ABORTED, crashLoop, failure, type RunResult, stopped, UNREADABLE } from "../session-store/run-result.ts";
import {
  findRun,
  type OpenRun,
  openRuns,
  type RunRow,
  saveInput,
  saveStarted,
  saveState,
} from "../session-store/runs.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { principalOf } from "../turn/principal.ts";
import { type EndRunDeps, endRun } from "./end-run.ts";
import type { Prefetched } from "./turn-runner.ts";
import { Waiters } from "./waiters.ts";

/** What scheduling runs depends on. */
export interface RunSchedulerDeps extends EndRunDeps {
  sessionKey(): string;
  meter: Pick<OperationMeter, "begin" | "of">;
  /** The queue policy for messages from a target. */
  policyFor(target: Target | null): QueuePolicy;
  /** Adds a run's input to the transcript, within the fence. */
  open(row: RunRow, input: RunInput): RunStart;
  /** Records a run that is merged into another, within the fence. */
  noteMerged(row: RunRow, input: RunInput): void;
  /** The conversation as a model sees it; with the memory flush that began at a number, if given. */
  readView(flushFrom?: number): View;
  /** Performs a run; undefined if it pauses for an approval. A rejection ends the run with an error. */
  perform(run: ActiveRun, prefetched: Prefetched | undefined): Promise<RunResult | undefined>;
  /** Called after a run has ended, or was merged into another: perhaps nothing answers its message. */
  closed(runId: string, target: Target): void;
}

/**
 * Runs a session's runs, one at a time.
 *
 * The state of runs is in storage; memory holds only the handle of the active run and the callers that wait for an end.
 */
export class RunScheduler {
  readonly #deps: RunSchedulerDeps;
  readonly #waiters = new Waiters();
  /** Runs that continue after an approval, not after a crash. */
  readonly #resumedByApproval = new Set<string>();
  #active: { row: OpenRun; stop: AbortController; journal: RunJournal } | undefined;

  constructor(deps: RunSchedulerDeps) {
    this.#deps = deps;
  }

  /** Whether a run is active in this incarnation. */
  get busy(): boolean {
    return this.#active !== undefined;
  }

  /** When the next run may start, if it only waits for its debounce time; undefined otherwise. */
  notBefore(): number | undefined {
    const up = this.#active === undefined ? this.#nextRun() : undefined;
    return up !== undefined && "notBefore" in up ? up.notBefore : undefined;
  }

  /**
   * Starts the next run if none is active. The promise settles with that run and never rejects. A run that an earlier
   * incarnation left unfinished is resumed first; a run that waits for an approval blocks the session.
   */
  next(prefetched?: Prefetched): Promise<void> | undefined {
    if (this.#active !== undefined) return undefined;
    const begun = openRuns(this.#deps.store).find((row) => isBegun(row.state));
    if (begun?.state.status === "waiting_approval") return undefined;
    if (begun?.state.status === "running") return this.#resume(begun, begun.state);
    const up = this.#nextRun();
    return up !== undefined && "take" in up
      ? this.#begin(
          up.take.map((run) => run.id),
          prefetched,
        )
      : undefined;
  }

  /** The state of a run. For the active run, the state in memory is newer than the stored one. */
  stateOf({ id, state }: Pick<RunRow, "id" | "state">): RunState {
    return this.#active?.row.id === id && isBegun(state) ? this.#active.journal.state : state;
  }

  /** Stops a run. The request is stored, so that it survives a crash. Returns the current row of the run. */
  abort(runId: string): RunRow | undefined {
    const { store, fence } = this.#deps;
    const row = findRun(store, runId);
    if (row === undefined) return row;
    if (row.state.status === "joined") return this.abort(row.state.intoRunId);
    if (row.state.status === "running") {
      const { state } = row;
      fence.write(() => saveState(store, runId, { ...state, abortRequested: true }));
      if (this.#active?.row.id === runId) this.#active.stop.abort("aborted");
    } else if (!isSettled(row.state)) {
      this.#finish(row, ABORTED, isBegun(row.state) ? openCalls(this.#deps.readView().messages) : []);
    }
    return findRun(store, runId);
  }

  /** Waits for the end of a run; undefined after `timeoutMs`. A merged run ends with the run it was merged into. */
  waitFor(runId: string, timeoutMs: number): Promise<SettledRun | undefined> {
    const state = findRun(this.#deps.store, runId)?.state;
    if (state?.status === "joined") return this.waitFor(state.intoRunId, timeoutMs);
    if (state === undefined || isSettled(state)) return Promise.resolve(state);
    return this.#waiters.wait(runId, timeoutMs);
  }

  /** Stores the decision on an approval. Returns its run and tool; undefined if no approval with this id is pending. */
  decide(approvalId: string, given: Decision): DecidedCall | undefined {
    const { store, log, fence, now } = this.#deps;
    const row = openRuns(store).find((candidate) => candidate.state.status === "waiting_approval");
    if (row?.state.status !== "waiting_approval") return undefined;
    const approval = row.state.approvals.find(({ id, decision: known }) => id === approvalId && known === undefined);
    if (approval === undefined) return undefined;
    // Without a scope that could be remembered, "always" is this once.
    const decision = given === "allow-always" && approval.grant === undefined ? "allow-once" : given;
    const state = decided(row.state, approvalId, decision, now());
    fence.write(() => {
      saveState(store, row.id, state);
      log.record(row.id, now(), [{ type: "approval", phase: "decided", approvalId, decision }]);
    });
    if (state.status === "running") this.#resumedByApproval.add(row.id);
    const { tool, grant } = approval;
    return { runId: row.id, tool, decision, ...(grant && { grant }) };
  }

  #nextRun(): NextRun | undefined {
    const { store, policyFor, now } = this.#deps;
    const rows = openRuns(store);
    const waiting = waitingRuns(rows);
    const first = rows.find((row) => row.id === waiting[0]?.id);
    return first && nextRun(waiting, policyFor(first.target), now());
  }

  /** Starts a run, merging the other runs into it. */
  #begin([runId = "", ...others]: string[], prefetched?: Prefetched): Promise<void> | undefined {
    const { store, fence, now, open } = this.#deps;
    const row = findRun(store, runId);
    if (row === undefined) return undefined;
    const { input } = row;
    if (input === null) {
      this.#finish(row, UNREADABLE, []);
      return this.next();
    }
    const state = fence.write(() => {
      const begun = begin(now(), open(row, input), input);
      saveStarted(store, row.id, begun);
      const { spent: before } = joined(others.map((other) => this.#mergeInto(row, other)));
      if (before === NO_USAGE) return begun;
      const counted = spent(begun, before);
      saveState(store, row.id, counted);
      return counted;
    });
    return this.#work(row, state, prefetched);
  }

  /** Resumes a run, after a crash or after an approval. */
  #resume(row: OpenRun, left: RunningRun): Promise<void> {
    const { store, log, fence, now } = this.#deps;
    if (this.#resumedByApproval.delete(row.id)) return this.#work(row, left);
    const state = fence.write(() => {
      const { seq: lastSeq, at: lastAt } = log.lastMessage(row);
      const keptSeq = keepInterruptedReply(store, log, row, now());
      const state = crashed(left, { lastSeq, keptSeq, lastAt, now: now() });
      saveState(store, row.id, state);
      return state;
    });
    return this.#work(row, state);
  }

  async #work(row: OpenRun, state: RunningRun, prefetched?: Prefetched): Promise<void> {
    const { store, log, fence, now, readView, sessionKey } = this.#deps;
    const stop = new AbortController();
    const left = state.deadline === undefined ? undefined : state.deadline - now();
    const timer = left === undefined ? undefined : setTimeout(() => stop.abort("timeout"), Math.max(left, 0));
    if (state.abortRequested) stop.abort("aborted");
    const mergeableInput = {
      waiting: () => this.#mergeableInto(row).some((run) => run.queueClass !== "announcement"),
      take: () => this.#mergeWaiting(row),
    };
    const journal = new RunJournal({ store, log, fence, mergeableInput, readView }, row, state);
    this.#active = { row, stop, journal };
    this.#deps.meter.begin(row.id, now());
    try {
      const principal = principalOf(journal.context(), { target: row.target, sessionKey: sessionKey() }, state.origin);
      const mustYield = () => this.#mustYield(state);
      const result = await this.#runToResult({ row, principal, journal, signal: stop.signal, mustYield }, prefetched);
      const unanswered = result?.leavesCalls ? [] : unansweredIn(journal);
      if (result?.yields) this.#giveWay(row, journal.state, unanswered);
      else if (result) this.#finish({ ...row, state: journal.state }, result, unanswered);
    } catch (error) {
      writeLog("error", "run.lost", { runId: row.id, error: messageOf(error) });
      if (!(error instanceof Superseded)) this.#finish({ ...row, state }, failure(error), unansweredIn(journal));
    } finally {
      if (timer !== undefined) clearTimeout(timer);
      log.forget(row.id);
      this.#active = undefined;
    }
  }

  async #runToResult(run: ActiveRun, prefetched: Prefetched | undefined): Promise<RunResult | undefined> {
    const { crashes } = run.journal.state;
    if (crashes >= MAX_CRASHES) return crashLoop(crashes);
    if (run.signal.aborted) return stopped(run.signal);
    try {
      return await this.#deps.perform(run, prefetched);
    } catch (error) {
      if (error instanceof Superseded) throw error;
      return run.signal.aborted ? stopped(run.signal) : failure(error);
    }
  }

  /** Whether a run in the background has to make room for what waits. */
  #mustYield({ origin }: RunningRun): boolean {
    if (originRules(origin).queueClass !== "background") return false;
    return waitingRuns(openRuns(this.#deps.store)).some((run) => run.queueClass !== "background");
  }

  /** Puts a run back behind all that waits. Later it is asked once more, knowing what it has done already. */
  #giveWay(row: OpenRun, { again }: RunProgress, unanswered: readonly ToolCallPart[]): void {
    const { store, log, fence, now } = this.#deps;
    fence.write(() => {
      for (const call of unanswered) log.append(row.id, skippedResult(call, now()));
      if (again !== undefined) saveInput(store, row.id, continued(again));
      const state: RunState = { status: "queued", behind: true, queueClass: "background" };
      saveState(store, row.id, state);
      const ahead = waitingRuns(openRuns(store)).findIndex((run) => run.id === row.id);
      log.record(row.id, now(), [{ type: "queue", phase: "waiting", ahead }]);
    });
  }

  /** The waiting runs that may be merged into this one now. */
  #mergeableInto(row: OpenRun): readonly WaitingRun[] {
    const { store, policyFor, now } = this.#deps;
    return mergeable(waitingRuns(openRuns(store)), row.mergeKey, policyFor(row.target), now());
  }

  /** Merges the waiting runs into the active one. */
  #mergeWaiting(row: OpenRun): MergedInput {
    const waiting = this.#mergeableInto(row);
    if (waiting.length === 0) return joined([]);
    return this.#deps.fence.write(() => joined(waiting.map(({ id }) => this.#mergeInto(row, id))));
  }

  /** Adds the input of another run to this run's transcript, and settles that run as `joined`. */
  #mergeInto(row: OpenRun, runId: string): MergedInput {
    const { store, log, now, noteMerged } = this.#deps;
    const merged = findRun(store, runId);
    if (merged === undefined) return joined([]);
    if (merged.input === null) {
      this.#finish(merged, UNREADABLE, []);
      return joined([]);
    }
    noteMerged(merged, merged.input);
    const said = userMessage(merged.input, { acceptedAt: merged.acceptedAt, at: now(), fromRunId: runId });
    log.append(row.id, said);
    const endSeq = log.record(runId, now(), [{ type: "queue", phase: "joined", intoRunId: row.id }]);
    const { origin, spent: before = NO_USAGE } = merged.input;
    saveStarted(store, runId, {
      status: "joined",
      intoRunId: row.id,
      endedAt: now(),
      endSeq,
      ...(origin && { origin }),
    });
    this.#waiters.move(runId, row.id);
    if (merged.target !== null) this.#deps.closed(runId, merged.target);
    return { messages: [said], spent: before };
  }

  /** Ends a run, and tells those who wait for it. */
  #finish(row: OpenRun, result: RunResult, unanswered: readonly ToolCallPart[]): void {
    this.#waiters.resolve(row.id, endRun(row, result, unanswered, this.#deps));
    if (row.target !== null) this.#deps.closed(row.id, row.target);
  }
}

/** The input of several runs together. */
function joined(inputs: readonly MergedInput[]): MergedInput {
  const spendings = inputs.map((input) => input.spent).filter((one) => one !== NO_USAGE);
  return {
    messages: inputs.flatMap(({ messages }) => messages),
    spent: spendings.length === 0 ? NO_USAGE : spendings.reduce(addUsage),
  };
}

/** The calls that a run leaves without a result; none during a memory flush, or if the transcript cannot be read. */
function unansweredIn(journal: RunJournal): ToolCallPart[] {
  if (journal.flushReplies !== undefined) return [];
  try {
    return openCalls(journal.context());
  } catch (error) {
    writeLog("error", "transcript.unreadable", { error: messageOf(error) });
    return [];
  }
}

/** A call that waited for approval and has been decided. */
export interface DecidedCall {
  runId: string;
  tool: string;
  decision: Decision;
  /** What "always" allows from now on. */
  grant?: GrantScope;
}
