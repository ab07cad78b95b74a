import { DurableObject } from "cloudflare:workers";
import type { AnyTool } from "../agent/tool.ts";
import type { Delivery, OutboundPart, Target } from "../channels/channel.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { ReadEtags } from "../tools/read-etags.ts";
import type { Accepted, AcceptRequest, RunView, SessionMethods, WaitResult } from "./api.ts";
import { indexRun } from "./catalog.ts";
import { type Due, FIRST_RECOVERY_MS, INDEX_RETRY_MS, nextAlarm, nextRecoveryMs } from "./due.ts";
import { type ActiveRun, type Conclusion, Engine } from "./engine.ts";
import { EventLog } from "./event-log.ts";
import { eventStream } from "./event-stream.ts";
import { Fence } from "./fence.ts";
import { deliveriesOf, drainOutbox, isSending, markInterruptedUnsure, outboxDueAt } from "./outbox.ts";
import { isEnded, type RunState } from "./run.ts";
import { closeRun, findRun, openRuns, type RunRow } from "./runs.ts";
import { createSessionRow, readSessionRow, type SessionRow } from "./session-row.ts";
import { openStore, type Store } from "./store.ts";
import { type HistoryPage, readContext, readHistory, readLastReply } from "./transcript.ts";
import { takeTurn } from "./turn.ts";
import { runView, waitResult } from "./views.ts";
import { type Wiring, wire } from "./wiring.ts";

/** Most characters of transcript that a model is shown. */
const CONTEXT_CHARS = 400_000;

/**
 * One conversation: its queue of runs, its transcript, its events and its deliveries.
 *
 * What it was told is in its own database before it answers. The alarm is armed before work begins and rings while
 * any is left, so that whatever ends this object, the next one goes on. Every call may be repeated.
 */
export class Session extends DurableObject<Env> implements SessionMethods {
  /** Tools of an owner's turn besides the built-in ones. */
  protected readonly extraTools: readonly AnyTool[] = [];
  readonly #store: Store;
  readonly #log: EventLog;
  readonly #fence: Fence;
  readonly #engine: Engine;
  readonly #bootstrapCache = new Map();
  readonly #readEtags = new ReadEtags();
  /** Runs whose end the index of all runs is being told, or knows already, and whose rows do not say so yet. */
  readonly #indexed = new Set<string>();
  #wiring: Wiring | undefined;
  #delivering = false;
  #alarmAt: number | undefined;
  #recoveryMs = FIRST_RECOVERY_MS;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = openStore(ctx);
    this.#log = new EventLog(this.#store, readSessionRow(this.#store)?.reservedSeq ?? 1);
    this.#fence = new Fence(ctx.storage, this.#store, this.#log);
    this.#engine = new Engine({
      store: this.#store,
      log: this.#log,
      fence: this.#fence,
      now: Date.now,
      readContext: () => readContext(this.#store, this.#owner().contextSeq, CONTEXT_CHARS),
      perform: (run) => this.#perform(run),
      format: (target, markdown) => this.#format(target, markdown),
    });
    this.#recover();
  }

  /** Stores a run and starts it where none is running. */
  accept(request: AcceptRequest): Accepted {
    const { sessionKey: key, agentId, runId, idempotencyKey, input, target } = request;
    const { owner, row } = this.#fence.write(() => {
      this.#closeIndexed();
      const create = { key, agentId, reservedSeq: this.#log.reserve(), now: Date.now() };
      const owner = readSessionRow(this.#store) ?? createSessionRow(this.#store, create);
      const run = { runId, idempotencyKey: idempotencyKey ?? null, input, target: target ?? null };
      return { owner, row: this.#engine.accept(run) };
    });
    this.#arm();
    this.#work();
    return { runId: row.id, sessionKey: owner.key, sessionId: owner.sessionId, acceptedAt: row.acceptedAt };
  }

  /** A run as it stands; undefined where this session has no such run. */
  show(runId: string): RunView | undefined {
    const row = findRun(this.#store, runId);
    if (row === undefined) return undefined;
    return runView(this.#owner(), row, readLastReply(this.#store, runId), deliveriesOf(this.#store, runId));
  }

  /** How a run ended, or that `timeoutMs` went by; undefined where this session has no such run. */
  async wait(runId: string, timeoutMs: number): Promise<WaitResult | undefined> {
    if (findRun(this.#store, runId) === undefined) return undefined;
    return waitResult(await this.#engine.waitFor(runId, timeoutMs));
  }

  /** Stops a run. Gives its status; undefined where this session has no such run. */
  abort(runId: string): RunState["status"] | undefined {
    return this.#engine.abort(runId)?.state.status;
  }

  /** A page of the transcript, and the number after which its events go on. */
  history(limit: number, before: number | undefined): HistoryPage & { cursor: number } {
    return { ...readHistory(this.#store, limit, before), cursor: this.#log.lastSeq };
  }

  /** The session's events after a number, or from now on; it stays open. */
  events(after: number | undefined): ReadableStream<Uint8Array> {
    return eventStream(this.#log, after ?? this.#log.lastSeq);
  }

  /** A run's events after a number, to its last; undefined where this session has no such run. */
  runEvents(runId: string, after: number): ReadableStream<Uint8Array> | undefined {
    const row = () => findRun(this.#store, runId);
    if (row() === undefined) return undefined;
    return eventStream(this.#log, after, { runId, hasEnded: () => isEnded(row()?.state ?? { status: "queued" }) });
  }

  override alarm(): void {
    this.#alarmAt = undefined;
    this.#recoveryMs = this.#engine.busy ? nextRecoveryMs(this.#recoveryMs) : FIRST_RECOVERY_MS;
    if (this.#indexed.size > 0) this.#fence.write(() => this.#closeIndexed());
    this.#arm();
    this.#work();
  }

  /** Takes note of what an earlier incarnation left; the alarm then goes on with it. */
  #recover(): void {
    if (isSending(this.#store)) this.#fence.write(() => markInterruptedUnsure(this.#store));
    if (nextAlarm(this.#due()) !== undefined) this.#armAt(Date.now());
  }

  /** Goes on with whatever is to be done, and waits for none of it. May be called at any time. */
  #work(): void {
    const turn = this.#engine.next();
    if (turn !== undefined) {
      this.#recoveryMs = FIRST_RECOVERY_MS;
      this.ctx.waitUntil(turn.then(() => this.#work()));
    }
    this.ctx.waitUntil(this.#deliver());
    for (const row of this.#unindexed()) this.ctx.waitUntil(this.#index(row));
  }

  #perform(run: ActiveRun): Promise<Conclusion> {
    const { target } = run.row;
    const wiring = this.#wired();
    if (target !== null) this.ctx.waitUntil(showTyping(wiring, target));
    return takeTurn(run, {
      owner: this.#owner(),
      wiring,
      log: this.#log,
      bootstrapCache: this.#bootstrapCache,
      readEtags: this.#readEtags,
      extraTools: this.extraTools,
    });
  }

  async #deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      await drainOutbox({
        store: this.#store,
        write: (work) => this.#fence.write(work),
        send: (part, signal) => this.#send(part, signal),
        now: Date.now,
      });
    } catch (error) {
      writeLog("error", "outbox.failed", { error: messageOf(error) });
    } finally {
      this.#delivering = false;
      this.#arm();
    }
  }

  async #send(part: OutboundPart, signal: AbortSignal): Promise<Delivery> {
    try {
      const { channel, context } = this.#wired().channel(part.target.channel, part.target.accountId);
      return await channel.send(part, context, signal);
    } catch (error) {
      return { outcome: "failed", reason: messageOf(error) };
    }
  }

  #format(target: Target, markdown: string): string[] {
    try {
      return this.#wired().channel(target.channel, target.accountId).channel.format(markdown);
    } catch (error) {
      writeLog("error", "reply.unformatted", { channel: target.channel, error: messageOf(error) });
      return [markdown];
    }
  }

  async #index(row: RunRow): Promise<void> {
    this.#indexed.add(row.id);
    try {
      await indexRun(this.env.DB, this.#owner(), row, Date.now());
    } catch (error) {
      writeLog("warn", "index.failed", { runId: row.id, error: messageOf(error) });
      this.#indexed.delete(row.id);
      this.#arm();
    }
  }

  /** Lets go of the runs that the index knows, as part of another commit. */
  #closeIndexed(): void {
    for (const id of this.#indexed) closeRun(this.#store, id);
    this.#indexed.clear();
  }

  #unindexed(): RunRow[] {
    return openRuns(this.#store).filter((row) => isEnded(row.state) && !this.#indexed.has(row.id));
  }

  #due(): Due {
    const now = Date.now();
    const waiting = openRuns(this.#store).some((row) => !isEnded(row.state));
    return {
      recoveryAt: waiting ? now + this.#recoveryMs : undefined,
      outboxAt: outboxDueAt(this.#store),
      indexAt: this.#unindexed().length > 0 ? now + INDEX_RETRY_MS : undefined,
    };
  }

  /** Sets the one alarm to what is due first. One that rings too early is left alone: it finds nothing and is cheap. */
  #arm(): void {
    const at = nextAlarm(this.#due());
    if (at !== undefined) this.#armAt(at);
  }

  #armAt(at: number): void {
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    this.ctx.waitUntil(this.ctx.storage.setAlarm(at));
  }

  #owner(): SessionRow {
    const row = readSessionRow(this.#store);
    if (row === undefined) throw new IsopodError("not_found", "This session has no messages yet.");
    return row;
  }

  #wired(): Wiring {
    this.#wiring ??= wire(this.env, (promise) => this.ctx.waitUntil(promise));
    return this.#wiring;
  }
}

async function showTyping(wiring: Wiring, target: Target): Promise<void> {
  try {
    const { channel, context } = wiring.channel(target.channel, target.accountId);
    await channel.typing?.(target, context);
  } catch (error) {
    writeLog("debug", "typing.failed", { channel: target.channel, error: messageOf(error) });
  }
}
