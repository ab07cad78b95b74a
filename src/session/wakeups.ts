import type { IndexSync } from "../index-sync/index-sync.ts";
import type { TranscriptSync } from "../index-sync/transcript-sync.ts";
import { expiresAt } from "../retention/removal.ts";
import type { Retention } from "../retention/retention.ts";
import { outboxDueAt } from "../session-store/outbox.ts";
import { openRuns } from "../session-store/runs.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import type { Subagents } from "../subagents/subagents.ts";
import { AlarmClock } from "./alarm-clock.ts";
import type { ConfigSnapshot } from "./config-holder.ts";
import type { Deliveries } from "./deliveries.ts";
import { FIRST_INDEX_RETRY_MS, FIRST_RECOVERY_MS, goesOn, nextIndexRetryMs, nextRecoveryMs, putOff } from "./due.ts";
import type { RunScheduler } from "./run-scheduler.ts";

/** Whether an object holds a session: none yet, one that is there, or one of which nothing is to be left. */
export type Lifecycle = "none" | "here" | "going";

/** Whether an object holds a session, by what it has stored. */
export function lifecycleOf(owner: Pick<SessionRow, "deleting"> | undefined): Lifecycle {
  if (owner === undefined) return "none";
  return owner.deleting ? "going" : "here";
}

/** Who has something to do in a session. */
export interface Workers {
  engine: RunScheduler;
  deliveries: Deliveries;
  indexer: IndexSync;
  family: Subagents;
  retention: Retention;
  transcripts: TranscriptSync;
}

/** What keeping a session going needs of the object that it is done for. */
export interface WakeupsDeps {
  ctx: DurableObjectState;
  store: Store;
  configured: Pick<ConfigSnapshot, "isReady" | "ask">;
  life(): Lifecycle;
  workers(): Workers;
}

/** Keeps a session going: begins whatever is to be done, and has the alarm set for the case that this object ends. */
export class Wakeups {
  readonly #deps: WakeupsDeps;
  readonly #clock: AlarmClock;
  #turn: Promise<void> | undefined;
  #recoveryMs = FIRST_RECOVERY_MS;
  #indexRetryMs = FIRST_INDEX_RETRY_MS;

  constructor(deps: WakeupsDeps) {
    this.#deps = deps;
    this.#clock = new AlarmClock(deps.ctx);
  }

  /** There is something to do that was not there before. */
  changed(): void {
    this.arm();
    this.work();
  }

  /** The alarm has rung. */
  rang(): void {
    this.#clock.rang();
    const { engine, indexer } = this.#deps.workers();
    const isToWait = engine.busy || !this.#deps.configured.isReady;
    this.#recoveryMs = isToWait ? nextRecoveryMs(this.#recoveryMs) : FIRST_RECOVERY_MS;
    this.#indexRetryMs = indexer.isBehind ? nextIndexRetryMs(this.#indexRetryMs) : FIRST_INDEX_RETRY_MS;
    this.changed();
  }

  /** Everything was deleted, and the alarm with it. */
  forget(): void {
    this.#clock.rang();
  }

  /** Sets the alarm for what an earlier incarnation left, which then is gone on with at once. */
  armAtOnce(): void {
    this.#arm(0, 0);
  }

  /** Sets the alarm to what is due first, as part of the current commit. */
  arm(): void {
    this.#arm(this.#recoveryMs, this.#indexRetryMs);
  }

  /** Goes on with whatever is to be done, and waits for none of it. May be called at any time. */
  work(): void {
    if (this.#deps.life() !== "here") return;
    const { ctx, configured } = this.#deps;
    if (!configured.isReady) {
      ctx.waitUntil(this.#workWhenReady());
      return;
    }
    const { engine, deliveries, indexer, family } = this.#deps.workers();
    const turn = engine.next();
    if (turn !== undefined) {
      this.#turn = turn;
      this.#recoveryMs = FIRST_RECOVERY_MS;
      ctx.waitUntil(turn.then(() => this.#afterTurn()));
    }
    const notBefore = engine.notBefore();
    // Nearer than an alarm is meant to be; should the object die before, the alarm is there.
    if (notBefore !== undefined) setTimeout(() => this.work(), Math.max(0, notBefore - Date.now()));
    ctx.waitUntil(deliveries.drain());
    if (indexer.isBehind) ctx.waitUntil(indexer.sync().then(() => this.arm()));
    if (family.isDue) ctx.waitUntil(family.runDue().then(() => this.arm()));
  }

  /** Resolves when nothing is going on that might write, once the session is going. */
  async idle(): Promise<void> {
    await this.#turn;
    const { engine: _, ...others } = this.#deps.workers();
    await Promise.all(Object.values(others).map((worker) => worker.idle()));
  }

  /** Nothing can begin before it is known how. Where that cannot be found out now, the alarm comes back to it. */
  async #workWhenReady(): Promise<void> {
    const { configured } = this.#deps;
    await configured.ask();
    if (configured.isReady) this.work();
  }

  async #afterTurn(): Promise<void> {
    this.work();
    const { retention, transcripts } = this.#deps.workers();
    if (this.#deps.life() === "here") await retention.tidy();
    if (this.#deps.life() === "here") await transcripts.sync();
  }

  #arm(recoveryMs: number, indexMs: number): void {
    const { store, configured } = this.#deps;
    const life = this.#deps.life();
    if (life === "none") return;
    const { indexer, family } = this.#deps.workers();
    const now = Date.now();
    const due = {
      recoveryAt: life === "going" || goesOn(openRuns(store)) ? now + recoveryMs : undefined,
      outboxAt: outboxDueAt(store),
      indexAt: indexer.isBehind ? now + indexMs : undefined,
      leavesAt: life === "here" ? expiresAt(store) : undefined,
      familyAt: family.dueAt,
    };
    this.#clock.set(configured.isReady ? due : putOff(due, now + recoveryMs), now);
  }
}
