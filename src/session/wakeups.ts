import type { IndexSync } from "../index-sync/index-sync.ts";
import type { TranscriptSync } from "../index-sync/transcript-sync.ts";
import type { Processes } from "../processes/processes.ts";
import { expiresAt } from "../retention/removal.ts";
import type { Retention } from "../retention/retention.ts";
import { outboxDueAt } from "../session-store/outbox.ts";
import { runningProcesses } from "../session-store/processes.ts";
import { openRuns } from "../session-store/runs.ts";
import type { StoredPlace } from "../session-store/session-place.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import type { Subagents } from "../subagents/subagents.ts";
import {
  AlarmClock,
  FIRST_INDEX_RETRY_MS,
  FIRST_RECOVERY_MS,
  hasActiveRun,
  NOTHING_DUE,
  nextIndexRetryMs,
  nextRecoveryMs,
  postpone,
} from "./alarm.ts";
import type { ConfigSnapshot } from "./config-snapshot.ts";
import type { Deliveries } from "./deliveries.ts";
import type { InboundFiles } from "./inbound-files.ts";
import type { RunScheduler } from "./run-scheduler.ts";
import type { Prefetched } from "./turn-runner.ts";

/**
 * Whether an object has a session: none yet, one in use, one that is being deleted, one that is on its way to another
 * object or from another one, none any more because it has moved, or one whose database cannot be read.
 */
export type Lifecycle = "none" | "active" | "deleting" | "leaving" | "arriving" | "moved" | "damaged";

/** The lifecycle of a session, from its stored row and from where it is. */
export function lifecycleOf(
  session: Pick<SessionRow, "deleting"> | undefined,
  place: StoredPlace | undefined,
): Lifecycle {
  if (place !== undefined) return place.kind;
  if (session === undefined) return "none";
  return session.deleting ? "deleting" : "active";
}

/** The parts of a session that work in the background. */
export interface Workers {
  scheduler: RunScheduler;
  deliveries: Deliveries;
  inboundFiles: InboundFiles;
  indexSync: IndexSync;
  subagents: Subagents;
  processes: Processes;
  retention: Retention;
  transcripts: TranscriptSync;
}

/** What the wake-ups of a session depend on. */
export interface WakeupsDeps {
  ctx: DurableObjectState;
  store: Store;
  configured: Pick<ConfigSnapshot, "isReady" | "refresh">;
  lifecycle(): Lifecycle;
  workers(): Workers;
}

/** Starts the work that is due, and keeps the alarm set so that the next incarnation continues if this one ends. */
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

  /** Sets the alarm for newly stored work, then starts the work. */
  changed(): void {
    this.arm();
    this.work();
  }

  /** Handles the alarm. */
  onAlarm(): void {
    this.#clock.clear();
    const { scheduler, processes, indexSync } = this.#deps.workers();
    const isToWait = scheduler.busy || processes.busy || !this.#deps.configured.isReady;
    this.#recoveryMs = isToWait ? nextRecoveryMs(this.#recoveryMs) : FIRST_RECOVERY_MS;
    this.#indexRetryMs = indexSync.isBehind ? nextIndexRetryMs(this.#indexRetryMs) : FIRST_INDEX_RETRY_MS;
    this.changed();
  }

  /** Resets the alarm's state after everything was deleted. */
  forget(): void {
    this.#clock.clear();
  }

  /** Sets the alarm to now, so that work of an earlier incarnation continues at once. */
  armAtOnce(): void {
    this.#arm(0, 0);
  }

  /** Sets the alarm to a time, for work that the session's tables do not show. */
  armFor(at: number): void {
    this.#clock.set({ ...NOTHING_DUE, recoveryAt: at });
  }

  /** Sets the alarm to what is due first, within the current commit. */
  arm(): void {
    this.#arm(this.#recoveryMs, this.#indexRetryMs);
  }

  /**
   * Starts all work that is due and awaits none of it. May be called at any time.
   * @param prefetched what the run that starts now, if any, has requested already
   */
  work(prefetched?: Prefetched): void {
    if (this.#deps.lifecycle() !== "active") return;
    const { ctx, configured } = this.#deps;
    if (!configured.isReady) {
      ctx.waitUntil(this.#workWhenReady());
      return;
    }
    const { scheduler, deliveries, inboundFiles, indexSync, subagents, processes } = this.#deps.workers();
    processes.recover();
    const fetching = inboundFiles.fetch();
    if (fetching !== undefined) ctx.waitUntil(fetching);
    const turn = scheduler.next(prefetched);
    if (turn !== undefined) {
      this.#turn = turn;
      this.#recoveryMs = FIRST_RECOVERY_MS;
      ctx.waitUntil(turn.then(() => this.#afterTurn()));
    }
    const notBefore = scheduler.notBefore();
    // A timer for delays that are too short for an alarm; the alarm remains as a fallback.
    if (notBefore !== undefined) setTimeout(() => this.work(), Math.max(0, notBefore - Date.now()));
    ctx.waitUntil(deliveries.drain());
    if (indexSync.isBehind) ctx.waitUntil(indexSync.sync().then(() => this.arm()));
    if (subagents.isDue) ctx.waitUntil(subagents.runDue().then(() => this.arm()));
  }

  /** Resolves when no background work that could write is left, once the session is being deleted. */
  async idle(): Promise<void> {
    await this.#turn;
    const { scheduler: _, ...others } = this.#deps.workers();
    await Promise.all(Object.values(others).map((worker) => worker.idle()));
  }

  /** Reads the configuration before any work; if D1 does not answer, the alarm tries again. */
  async #workWhenReady(): Promise<void> {
    const { configured } = this.#deps;
    await configured.refresh();
    if (configured.isReady) this.work();
  }

  async #afterTurn(): Promise<void> {
    this.work();
    const { retention, transcripts } = this.#deps.workers();
    if (this.#deps.lifecycle() === "active") await retention.tidy();
    if (this.#deps.lifecycle() === "active") await transcripts.sync();
  }

  /** Whether another incarnation has to go on, if this one ends. */
  #isAtWork(): boolean {
    const { store } = this.#deps;
    return hasActiveRun(openRuns(store)) || runningProcesses(store).length > 0;
  }

  #arm(recoveryMs: number, indexMs: number): void {
    const { store, configured } = this.#deps;
    const lifecycle = this.#deps.lifecycle();
    const now = Date.now();
    if (lifecycle === "leaving" || lifecycle === "moved") this.armFor(now + recoveryMs);
    if (lifecycle !== "active" && lifecycle !== "deleting") return;
    const { indexSync, subagents } = this.#deps.workers();
    const due = {
      recoveryAt: lifecycle === "deleting" || this.#isAtWork() ? now + recoveryMs : undefined,
      outboxAt: outboxDueAt(store),
      indexAt: indexSync.isBehind ? now + indexMs : undefined,
      expiresAt: lifecycle === "active" ? expiresAt(store) : undefined,
      subagentsAt: subagents.dueAt,
    };
    this.#clock.set(configured.isReady ? due : postpone(due, now + recoveryMs));
  }
}
