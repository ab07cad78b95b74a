import type { Target } from "../channels/channel.ts";
import type { SessionLocation } from "../config/session-schema.ts";
import { IsopodError } from "../lib/errors.ts";
import type { OperationMeter } from "../services/operations.ts";
import { admitRun, type NewRun } from "../session-store/admission.ts";
import { botRounds } from "../session-store/bot-rounds.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import { revisedRequest } from "../session-store/revised-request.ts";
import { type AcceptedRun, type AcceptRequest, boundedInput } from "../session-store/run-request.ts";
import { quietCostBefore, type RunRow, releaseKey } from "../session-store/runs.ts";
import { createSessionRow, newSession, readSessionRow, type SessionRow } from "../session-store/session-row.ts";
import { type Store, updateTables } from "../session-store/store.ts";
import { readTombstone, type Tombstone } from "../session-store/tombstone.ts";
import type { SessionParts } from "./compose-session.ts";
import { runReceivedHooks } from "./run-hooks.ts";
import type { Lifecycle } from "./wakeups.ts";

const NO_TOMBSTONE: Tombstone = { keys: [], until: 0 };
/** Most messages of bots in a row that are answered. */
const MAX_BOT_ROUNDS = 3;
const BOTS_ALONE = "Only bots have spoken here for a while: the agent answers when a person speaks.";
const NOT_STORED = "The message was not stored. Send it again in a moment: it begins a new session.";

type Parts = "commands" | "hooks" | "scheduler" | "turnRunner" | "visitors" | "wakeups";

/** What the intake of a session needs. */
export interface RunIntakeDeps {
  ctx: DurableObjectState;
  meter: OperationMeter;
  store: Store;
  log: EventLog;
  fence: Fence;
  parts: Pick<SessionParts, Parts>;
  lifecycle(): Lifecycle;
  /** Marks the session as active; called for every message. */
  activate(): void;
  policyFor(target: Target | null): QueuePolicy;
  /** Where the configuration wants a session. */
  locationOf(sessionKey: string): SessionLocation;
  /** Stops a run of this session. */
  stop(runId: string): void;
}

/** Takes up the messages of a session: each is stored as a run before it is answered, and work on it starts. */
export class RunIntake {
  readonly #deps: RunIntakeDeps;
  /** What a deleted session has left here, once read. */
  #tombstone: Tombstone | undefined;

  constructor(deps: RunIntakeDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a run, and starts it if none is running. The first one begins the session.
   * @throws IsopodError if it is refused: no run is stored then, but the session may have begun, and a run whose message
   * was taken back may have been stopped
   */
  accept(given: AcceptRequest): AcceptedRun {
    const { store, fence, meter, lifecycle, parts } = this.#deps;
    const { commands, scheduler, turnRunner, wakeups, visitors } = parts;
    const request = lifecycle() === "active" ? this.#revised(given) : given;
    const { runId, idempotencyKey = null, inputDigest = null, keySince = 0, input, target = null } = request;
    this.#requireNew(idempotencyKey);
    const taken = commands.sort(boundedInput(input), target);
    const run = { runId, idempotencyKey, inputDigest, input: taken.input, target };
    const begins = taken.kind === "run" && !scheduler.busy;
    if (begins) meter.accept(Date.now());
    const prefetched = turnRunner.prefetch({ ...request, input: taken.input }, begins);
    const session = this.#begin(request);
    if (keySince > 0) fence.write(() => releaseKey(store, idempotencyKey ?? "", keySince));
    const row = taken.kind === "run" ? this.#admit(run) : commands.take(run, taken);
    if (taken.kind === "run") commands.begin(taken.input);
    wakeups.arm();
    wakeups.work(prefetched);
    visitors.changed();
    const accepted = {
      runId: row.id,
      sessionKey: session.key,
      sessionId: session.sessionId,
      acceptedAt: row.acceptedAt,
    };
    if (input.origin?.kind !== "heartbeat") return accepted;
    const quietCostMicros = quietCostBefore(store, row.id);
    return { ...accepted, ...(quietCostMicros !== undefined && { quietCostMicros }) };
  }

  /** Forgets what is in memory, after the session was deleted. */
  forget(): void {
    this.#tombstone = undefined;
  }

  /**
   * What a message of a chat that goes on is stored as. What was taken back before its turn is not answered.
   * @throws IsopodError `forbidden` for one round too many between bots
   */
  #revised(given: AcceptRequest): AcceptRequest {
    const { store, stop } = this.#deps;
    if (given.input.sender?.isBot && botRounds(store) >= MAX_BOT_ROUNDS) {
      throw new IsopodError("forbidden", BOTS_ALONE, undefined, { reason: "bots_alone" });
    }
    const { request, stop: takenBack } = revisedRequest(given, store);
    if (takenBack !== undefined) stop(takenBack);
    return request;
  }

  /** @throws IsopodError `gone` for a message that a session took up which was deleted since */
  #requireNew(key: string | null): void {
    this.#tombstone ??= readTombstone(this.#deps.ctx.storage, Date.now()) ?? NO_TOMBSTONE;
    if (key === null || this.#tombstone.until <= Date.now() || !this.#tombstone.keys.includes(key)) return;
    const message = "This message was taken up before, by a session that was deleted since.";
    throw new IsopodError("gone", message, "Send it under another idempotencyKey to have it answered again.");
  }

  /** The session's row, created if there is none. @throws IsopodError `unavailable` while it is being deleted */
  #begin(request: AcceptRequest): SessionRow {
    const { ctx, store, fence, lifecycle, activate } = this.#deps;
    if (lifecycle() === "deleting") throw new IsopodError("unavailable", "The session is being deleted.", NOT_STORED);
    if (lifecycle() === "none") updateTables(ctx, store);
    const session = readSessionRow(store) ?? fence.write(() => this.#create(request));
    activate();
    return session;
  }

  #create(request: AcceptRequest): SessionRow {
    const { ctx, store, log, locationOf } = this.#deps;
    const location = ctx.id.jurisdiction === "eu" ? "eu" : locationOf(request.sessionKey);
    return createSessionRow(store, log, newSession(request, location, Date.now()));
  }

  #admit(run: NewRun): RunRow {
    const { store, log, fence, parts, policyFor, stop } = this.#deps;
    const deps = { store, log, policy: policyFor(run.target), now: Date.now() };
    const { row, isNew, interrupt } = fence.write(() => admitRun(run, deps));
    if (isNew) runReceivedHooks(run, parts.hooks);
    if (interrupt !== undefined) stop(interrupt);
    return row;
  }
}
