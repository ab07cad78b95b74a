import { DurableObject } from "cloudflare:workers";
import type { AnyTool } from "../agent/tool.ts";
import type { Target } from "../channels/channel.ts";
import type { SessionLocation } from "../config/session-schema.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { isRefusal, orRefusal, orRefusalLater, type Refusal } from "../lib/refusal.ts";
import { head } from "../lib/text.ts";
import type { AnyPlugin } from "../plugins/plugin.ts";
import { exportStream } from "../retention/export.ts";
import { isExpired } from "../retention/removal.ts";
import { meteredBindings } from "../services/metered-bindings.ts";
import { OperationMeter } from "../services/operations.ts";
import { EventLog } from "../session-store/event-log.ts";
import { eventStream } from "../session-store/event-stream.ts";
import { Fence } from "../session-store/fence.ts";
import { type FailedDelivery, failDelivered, lostDeliveries } from "../session-store/lost-deliveries.ts";
import {
  dropPending,
  isSending,
  markInterruptedUnsure,
  type ResendRequest,
  resend,
  runDeliveries,
} from "../session-store/outbox.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import { type Decision, isSettled, type RunState } from "../session-store/run.ts";
import type { AcceptedRun, AcceptRequest, FollowedRun } from "../session-store/run-request.ts";
import {
  type DeliveryView,
  deliveryView,
  type LostDelivery,
  type RunView,
  runView,
  type WaitResult,
  waitResult,
} from "../session-store/run-views.ts";
import { findRun, openRuns, type RunRow } from "../session-store/runs.ts";
import { readPlace, type SessionPart } from "../session-store/session-place.ts";
import { markDeleting, readSessionRow, type SessionRow } from "../session-store/session-row.ts";
import { queuePolicyFor } from "../session-store/session-settings.ts";
import { hasTables, migrateTables, openStore, type Store } from "../session-store/store.ts";
import { runSpan } from "../session-store/stored-events.ts";
import type { Grant } from "../session-store/stored-shapes.ts";
import type { Lineage, SubagentReport } from "../session-store/subagent.ts";
import { isTombstoneOver } from "../session-store/tombstone.ts";
import { type HistoryPage, readHistory, readLastReply } from "../session-store/transcript.ts";
import type { VisitorView, VisitorWait } from "../session-store/visitor-view.ts";
import { MISDIRECTED, type SessionMethods } from "./api.ts";
import { composeSession, type SessionParts } from "./compose-session.ts";
import { ConfigSnapshot } from "./config-snapshot.ts";
import { RunIntake } from "./run-intake.ts";
import { type Lifecycle, lifecycleOf } from "./wakeups.ts";

/** Most characters of a lost delivery's words that are listed. */
const MAX_SHOWN_CHARS = 200;
const DELETE_IT = "Try again; if it stays like this, delete the session (DELETE /v1/sessions/{key}): it begins anew.";

/**
 * One conversation: its queue of runs, its transcript, its events and its deliveries.
 *
 * A request is stored in the object's own database before it is answered. The alarm is set before work starts and stays
 * set while work remains, so a new incarnation continues after a crash. Every call may be repeated.
 */
export class Session extends DurableObject<Env> implements SessionMethods {
  /** Tools of an owner's turn besides the built-in ones. */
  protected readonly extraTools: readonly AnyTool[] = [];
  /** Plugins besides the bundled ones. */
  protected readonly extraPlugins: readonly AnyPlugin[] = [];
  readonly #meter = new OperationMeter();
  readonly #store: Store;
  readonly #log: EventLog;
  readonly #fence: Fence;
  readonly #services: ConfigSnapshot;
  readonly #parts: SessionParts;
  readonly #intake: RunIntake;
  #lifecycle: Lifecycle;
  /** Why the database cannot be read, if it cannot. */
  #damage: string | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = openStore(ctx, this.#meter);
    this.#unlessDamaged(() => migrateTables(ctx, this.#store));
    const session = this.#unlessDamaged(() => this.#readRow());
    const lifecycle = this.#unlessDamaged(() => lifecycleOf(session, readPlace(ctx.storage)));
    this.#lifecycle = this.#damage === undefined ? (lifecycle ?? "none") : "damaged";
    this.#log = new EventLog(this.#store, session?.reservedSeq ?? 1, session?.oldestCursor);
    this.#fence = new Fence(ctx.storage, this.#store, this.#log);
    const keepAlive = (promise: Promise<unknown>) => this.ctx.waitUntil(promise);
    this.#services = new ConfigSnapshot(() => {
      return { env: this.env, plugins: this.extraPlugins, stores: () => meteredBindings(this.env, this.#meter) };
    }, keepAlive);
    this.#parts = composeSession({
      ctx,
      env: meteredBindings(env, this.#meter),
      meter: this.#meter,
      store: this.#store,
      log: this.#log,
      fence: this.#fence,
      configured: this.#services,
      lifecycle: () => this.#lifecycle,
      session: () => this.#session(),
      policyFor: (target) => this.#policyFor(target),
      extraTools: () => this.extraTools,
      accept: (request) => this.#accept(request),
      abort: (runId) => this.#abort(runId),
      decide: (approvalId, decision) => this.#decide(approvalId, decision),
      stopAll: () => this.#stopAll(),
      forget: () => this.#forget(),
      reload: () => this.#reload(),
    });
    this.#intake = new RunIntake({
      ctx,
      meter: this.#meter,
      store: this.#store,
      log: this.#log,
      fence: this.#fence,
      parts: this.#parts,
      lifecycle: () => this.#lifecycle,
      activate: () => {
        this.#lifecycle = "active";
      },
      policyFor: (target) => this.#policyFor(target),
      locationOf: (sessionKey) => this.#services.locationOf(sessionKey),
      stop: (runId) => this.#stop(runId),
    });
    this.#unlessDamaged(() => this.#recover());
    if (this.#damage !== undefined) this.#lifecycle = "damaged";
    if (!this.#services.isReady) keepAlive(ctx.blockConcurrencyWhile(() => this.#services.refresh()));
  }

  /** Reads while the object begins. A database that cannot be read must not keep it from answering. */
  #unlessDamaged<Result>(read: () => Result): Result | undefined {
    try {
      return read();
    } catch (error) {
      this.#damage ??= messageOf(error);
      writeLog("error", "session.damaged", { error: this.#damage });
      return undefined;
    }
  }

  /** @throws IsopodError `unavailable` where the database cannot be read, or the session has moved */
  #requireHere(): void {
    if (this.#damage !== undefined) {
      throw new IsopodError("unavailable", `The session's database cannot be read: ${this.#damage}`, DELETE_IT);
    }
    this.#parts.relocation.requireHere();
  }

  /** Stores a run, and starts it if none is running. */
  accept(request: AcceptRequest): AcceptedRun | Refusal {
    return orRefusal(() => this.#accept(request));
  }

  /** Stores a run, starts it if none is running, and returns its events, from the first to the last. */
  acceptAndFollow(request: AcceptRequest): FollowedRun | Refusal {
    return orRefusal(() => {
      const accepted = this.#accept(request);
      const row = this.#find(accepted.runId);
      if (row === undefined) throw new IsopodError("internal", `Run ${accepted.runId} was stored and is not there.`);
      return { accepted, events: this.#follow(row, 0) };
    });
  }

  #accept(request: AcceptRequest): AcceptedRun {
    this.#requireHere();
    return this.#intake.accept(request);
  }

  /** The current view of a run; undefined if this session has no such run. */
  show(runId: string): RunView | Refusal | undefined {
    return this.#answer(() => {
      const row = this.#find(runId);
      if (row === undefined) return undefined;
      return runView(this.#session(), row, readLastReply(this.#store, row), runDeliveries(this.#store, runId));
    });
  }

  prompt(runId: string, hash?: string) {
    return this.#answer(() => this.#parts.inspector.prompt(runId, hash));
  }

  context(sender?: "owner" | "other") {
    return this.#answer(() => this.#parts.inspector.context(sender));
  }

  /** Waits for a run to end, at most `timeoutMs`; undefined if this session has no such run. */
  async wait(runId: string, timeoutMs: number): Promise<WaitResult | Refusal | undefined> {
    const found = this.#answer(() => this.#find(runId)?.id);
    if (found === undefined || isRefusal(found)) return found;
    return waitResult(await this.#parts.scheduler.waitFor(runId, timeoutMs));
  }

  /** Stops a run. Returns its status; undefined if this session has no such run. */
  abort(runId: string): RunState["status"] | Refusal | undefined {
    return this.#answer(() => this.#abort(runId));
  }

  #abort(runId: string): RunState["status"] | undefined {
    const row = this.#find(runId) && this.#stop(runId);
    if (row !== undefined) this.#fence.write(() => this.#stopStartedBy(row.id));
    this.#parts.wakeups.changed();
    return row?.state.status;
  }

  /** Stops every run that is not settled. Returns their ids; undefined if there is no session. */
  abortAll(): string[] | Refusal | undefined {
    return this.#answer(() => this.#stopAll().runIds);
  }

  /** Resends a delivery that failed or may not have arrived. Undefined if the run has no such delivery. */
  resend(request: ResendRequest): DeliveryView | Refusal | undefined {
    return this.#answer(() => {
      const row = this.#fence.write(() => resend(this.#store, request));
      this.#parts.wakeups.changed();
      return row && deliveryView(row);
    });
  }

  failDelivery(failed: FailedDelivery): boolean | Refusal {
    return (
      this.#answer(() => {
        const row = this.#fence.write(() => failDelivered(this.#store, failed, Date.now()));
        if (row?.status === "failed") this.#parts.deliveries.noteFailed(row);
        if (row?.status === "pending") this.#parts.wakeups.changed();
        return row !== undefined;
      }) ?? false
    );
  }

  lostDeliveries(): LostDelivery[] | Refusal | undefined {
    return this.#answer(() =>
      lostDeliveries(this.#store).map((row) => ({
        ...deliveryView(row),
        ...{ runId: row.runId, askedAt: row.askedAt, conversation: row.target?.conversationId ?? "" },
        text: head(this.#parts.deliveryFormat.plainText(row), MAX_SHOWN_CHARS),
      })),
    );
  }

  /** Stores the decision on a tool call that waits for approval. False if none with this id is pending. */
  decide(approvalId: string, decision: Decision): boolean | Refusal {
    return this.#answer(() => this.#decide(approvalId, decision)) ?? false;
  }

  #decide(approvalId: string, decision: Decision): boolean {
    return this.#lifecycle === "active" && this.#parts.approvals.decide(approvalId, decision);
  }

  grants(): readonly Grant[] | Refusal | undefined {
    return this.#answer(() => this.#parts.approvals.grants());
  }

  revoke(grantId: string): Grant | Refusal | undefined {
    return this.#answer(() => this.#parts.approvals.revoke(grantId));
  }

  /** A page of the transcript, and the cursor for the events after it; undefined if there is no session. */
  history(limit: number, before: number | undefined): (HistoryPage & { cursor: number }) | Refusal | undefined {
    return this.#answer(() => ({ ...readHistory(this.#store, limit, before), cursor: this.#log.settledSeq }));
  }

  /** The whole transcript as JSON Lines; undefined if there is no session. */
  export(withPrompts = false): ReadableStream<Uint8Array> | Refusal | undefined {
    return this.#answer(() => exportStream(this.#store, this.#log.lastSeq, withPrompts));
  }

  /** What a visitor of a page is shown, once it is not what is known, or the time is over. */
  async visitorView(visitor: Target, wait: VisitorWait): Promise<VisitorView | Refusal | undefined> {
    const found = this.#answer(() => "here" as const);
    if (found !== "here") return found;
    return orRefusalLater(() => this.#parts.visitors.view(visitor, wait));
  }

  transcriptPages() {
    return this.#answer(() => this.#parts.transcripts.pages());
  }

  transcriptPage(conversation: string, page: number) {
    return this.#answer(() => this.#parts.transcripts.page(conversation, page));
  }

  /**
   * The session's events after a number, or from now on; the stream stays open. Undefined if there is no session,
   * unless `orWait` is set.
   */
  events(after: number | undefined, orWait: boolean): ReadableStream<Uint8Array> | Refusal | undefined {
    return orRefusal(() => {
      this.#requireHere();
      if (this.#lifecycle !== "active" && !(orWait && this.#lifecycle === "none")) return undefined;
      if (after !== undefined) this.#log.requireCursor(after);
      return eventStream(this.#log, after ?? this.#log.lastSeq);
    });
  }

  /** A run's events after a number, to its last; undefined if this session has no such run. */
  runEvents(runId: string, after: number): ReadableStream<Uint8Array> | Refusal | undefined {
    return this.#answer(() => {
      const row = this.#find(runId);
      if (row === undefined) return undefined;
      this.#log.requireCursor(after, runSpan(row));
      return this.#follow(row, after);
    });
  }

  /**
   * Deletes the session with all its data: its runs are stopped and its event streams end. The deletion is stored
   * first, so that it is finished after a crash. False if there is no session.
   */
  remove(): Promise<boolean | Refusal> {
    return orRefusalLater(async () => {
      if (this.#damage !== undefined) {
        await this.ctx.storage.deleteAll();
        this.#damage = undefined;
        this.#forget();
        return true;
      }
      this.#requireHere();
      if (this.#lifecycle === "none") return false;
      this.#leave();
      await this.#parts.removal.finish();
      return true;
    });
  }

  announce(report: SubagentReport): Refusal | undefined {
    return this.#answer(() => this.#parts.subagents.watch.acceptReport(report)) ?? undefined;
  }

  report(runId: string): SubagentReport | "open" | Refusal | undefined {
    return this.#answer(() => this.#parts.subagents.report(this.#find(runId)));
  }

  lineage(): Lineage | Refusal | undefined {
    return this.#answer(() => this.#parts.subagents.lineage());
  }

  /** The name of the object in which the session is; the other one's from now on, if the session has not begun. */
  settle(ownName: string, otherwise: string): string | Refusal {
    return orRefusal(() => {
      this.#requireHere();
      if (this.#lifecycle !== "none" || otherwise === ownName) return ownName;
      this.#parts.relocation.point(ownName, otherwise, "eu");
      return otherwise;
    });
  }

  /** Moves the session to another object. True when it is there; undefined if there is no session. */
  async move(ownName: string, to: string, location: SessionLocation): Promise<boolean | Refusal | undefined> {
    return orRefusalLater(async () => {
      this.#requireHere();
      if (this.#lifecycle !== "active") return undefined;
      // The call was repeated after the session had moved, and has followed it.
      if (ownName === to) return true;
      await this.#parts.relocation.leave(ownName, to, location);
      return true;
    });
  }

  receive(part: SessionPart): number | Refusal {
    return orRefusal(() => {
      if (this.#lifecycle === "none" || this.#lifecycle === "arriving") return this.#parts.relocation.receive(part);
      throw new IsopodError("conflict", "A session is in use in the other object.");
    });
  }

  confirmMove(): boolean {
    this.#parts.relocation.confirmed();
    return true;
  }

  override async fetch(request: Request): Promise<Response> {
    const refusal = orRefusal(() => this.#requireHere());
    if (refusal !== undefined) return Response.json(refusal, { status: MISDIRECTED });
    if (this.#lifecycle === "deleting") return new Response(null, { status: 503 });
    return this.#parts.sockets.open(new URL(request.url).searchParams.get("key") ?? "");
  }

  override webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    return this.#parts.sockets.receive(socket, data);
  }

  override webSocketClose(socket: WebSocket): void {
    this.#parts.sockets.close(socket);
  }

  override webSocketError(_: WebSocket, error: unknown): void {
    this.#parts.sockets.broken(error);
  }

  override alarm(): void {
    if (this.#lifecycle === "damaged") return;
    const { place } = this.#parts.relocation;
    if (place !== undefined) {
      this.#parts.wakeups.forget();
      this.ctx.waitUntil(this.#parts.relocation.resume());
      return;
    }
    if (this.#lifecycle === "none" && isTombstoneOver(this.ctx.storage, Date.now())) {
      // Nothing is accepted meanwhile.
      this.ctx.waitUntil(this.ctx.blockConcurrencyWhile(() => this.ctx.storage.deleteAll()));
      return;
    }
    if (this.#lifecycle === "active" && isExpired(this.#store, Date.now())) this.#leave();
    if (this.#lifecycle === "deleting") this.ctx.waitUntil(this.#parts.removal.resume());
    this.#parts.wakeups.onAlarm();
  }

  /**
   * Marks deliveries that an earlier incarnation left in the middle of sending, and sets the alarm to now so that
   * unfinished work continues. This also runs when the alarm has loaded the object; a later alarm could then be
   * postponed again by every new incarnation and never fire.
   */
  #recover(): void {
    const { place } = this.#parts.relocation;
    if (place?.kind === "leaving" || (place?.kind === "moved" && !place.isConfirmed)) {
      this.#parts.wakeups.armFor(Date.now());
    }
    if (this.#lifecycle !== "active" && this.#lifecycle !== "deleting") return;
    if (isSending(this.#store)) {
      this.#parts.deliveries.interrupted(this.#fence.write(() => markInterruptedUnsure(this.#store)));
    }
    this.#parts.wakeups.armAtOnce();
  }

  /** Starts the deletion: from now on calls are refused. */
  #leave(): void {
    if (this.#lifecycle !== "active") return;
    this.#lifecycle = "deleting";
    this.#fence.write(() => {
      markDeleting(this.#store);
      dropPending(this.#store);
      this.#parts.subagents.stop();
      this.#parts.processes.stop();
    });
    this.#parts.wakeups.arm();
    this.#stopAll();
  }

  /** What an active session answers; undefined if there is none. A session that has moved says where it is. */
  #answer<Result>(read: () => Result): Result | Refusal | undefined {
    return orRefusal(() => {
      this.#requireHere();
      return this.#lifecycle === "active" ? read() : undefined;
    });
  }

  #readRow(): SessionRow | undefined {
    return hasTables(this.ctx.storage) ? readSessionRow(this.#store) : undefined;
  }

  #find(runId: string): RunRow | undefined {
    return this.#lifecycle === "active" ? findRun(this.#store, runId) : undefined;
  }

  #stopStartedBy(run: string): void {
    this.#parts.subagents.stop(run);
    this.#parts.processes.stop(({ runId }) => runId === run);
  }

  #stopAll(): { runIds: string[]; runs: number; subagents: number; processes: number } {
    const stop = () => ({ subagents: this.#parts.subagents.stop(), processes: this.#parts.processes.stop() });
    const stopped = this.#fence.write(stop);
    const runIds = openRuns(this.#store).flatMap((row) => (isSettled(row.state) ? [] : [row.id]));
    // Waiting runs first, so that none of them starts when the active one has stopped.
    for (const runId of runIds.toReversed()) this.#stop(runId);
    this.#parts.wakeups.changed();
    return { runIds, runs: runIds.length, ...stopped };
  }

  #stop(runId: string): RunRow | undefined {
    this.ctx.waitUntil(this.#parts.indexSync.forgetApprovals(runId));
    return this.#parts.scheduler.abort(runId);
  }

  /** Resets the state in memory after everything was deleted. */
  #forget(): void {
    this.#lifecycle = "none";
    this.#intake.forget();
    this.#parts.sockets.end();
    this.#log.end();
    this.#log.clearedUpTo(this.#log.lastSeq + 1);
    this.#fence.release();
    this.#parts.indexSync.forget();
    this.#parts.wakeups.forget();
    this.#parts.turnRunner.forget();
    this.#parts.visitors.changed();
  }

  /** Reads anew what is in memory, after the session has come, is leaving, has gone, or stays after all. */
  #reload(): void {
    this.#forget();
    const place = readPlace(this.ctx.storage);
    const session = this.#readRow();
    this.#lifecycle = lifecycleOf(session, place);
    if (session === undefined || this.#lifecycle !== "active") return;
    this.#log.restart(session.reservedSeq, session.oldestCursor);
    this.#parts.wakeups.armAtOnce();
  }

  #follow(row: RunRow, after: number): ReadableStream<Uint8Array> {
    return eventStream(this.#log, after, () => runSpan(this.#find(row.id) ?? row));
  }

  #policyFor(target: Target | null): QueuePolicy {
    return queuePolicyFor(() => this.#services.newest(), readSessionRow(this.#store)?.settings ?? {}, target);
  }

  #session(): SessionRow {
    const row = readSessionRow(this.#store);
    if (row === undefined) throw new IsopodError("not_found", "This session has no messages yet.");
    return row;
  }
}
