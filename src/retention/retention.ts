import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { dropEndedProcesses } from "../session-store/processes.ts";
import { forgetAudit } from "../session-store/session-index.ts";
import { saveTidiedAt } from "../session-store/session-row.ts";
import { dropEndedSubagents } from "../session-store/subagent-rows.ts";
import {
  clearDeliveries,
  clearEvents,
  clearMessages,
  clearPrompts,
  clearRuns,
  type RetentionDeps,
} from "./clear-history.ts";

/** How often retention runs. */
const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Events serve readers that reconnect, so they are kept for as long as a reader may be away. */
const EVENT_DAYS = 7;

/**
 * Deletes old data, in small commits. It runs while the object is awake: no alarm is set for it, so an unused session
 * keeps its data.
 */
export class Retention {
  readonly #deps: RetentionDeps;
  #tidying: Promise<void> | undefined;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Deletes old data, at most once an hour. Never rejects. */
  tidy(): Promise<void> {
    this.#tidying ??= this.#tidy().finally(() => {
      this.#tidying = undefined;
    });
    return this.#tidying;
  }

  /** Resolves when nothing is being deleted. */
  async idle(): Promise<void> {
    await this.#tidying;
  }

  async #tidy(): Promise<void> {
    try {
      const now = this.#deps.now();
      if (now - this.#deps.session().tidiedAt < EVERY_MS) return;
      this.#deps.fence.write(() => saveTidiedAt(this.#deps.store, now));
      const { days: keepDays } = this.#deps.services().config.session.retention;
      const eventDays = keepDays === 0 ? EVENT_DAYS : Math.min(keepDays, EVENT_DAYS);
      await clearEvents(this.#deps, now - eventDays * DAY_MS);
      if (keepDays === 0) return;
      const before = now - keepDays * DAY_MS;
      await clearMessages(this.#deps, before);
      await clearRuns(this.#deps, before);
      await clearPrompts(this.#deps, before);
      await clearDeliveries(this.#deps, before);
      await forgetAudit(this.#deps.database, this.#deps.session().agentId, before);
      this.#deps.fence.write(() => {
        dropEndedSubagents(this.#deps.store, before);
        dropEndedProcesses(this.#deps.store, before);
      });
    } catch (error) {
      writeLog("warn", "retention.failed", { error: messageOf(error) });
    }
  }
}
