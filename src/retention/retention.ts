import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
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

/** How often what is old is looked for. */
const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Events are for readers that come back, so they are kept for as long as one may be away. */
const EVENT_DAYS = 7;

/**
 * Clears away what is old, in small commits. It is done when the object is awake anyway: nothing is woken for it, so
 * what nobody uses stays where it is.
 */
export class Retention {
  readonly #deps: RetentionDeps;
  #tidying: Promise<void> | undefined;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Clears away what is old where that was not done for an hour. Never rejects. */
  tidy(): Promise<void> {
    this.#tidying ??= this.#tidy().finally(() => {
      this.#tidying = undefined;
    });
    return this.#tidying;
  }

  /** Resolves when nothing is being cleared away. */
  async idle(): Promise<void> {
    await this.#tidying;
  }

  async #tidy(): Promise<void> {
    try {
      const now = this.#deps.now();
      if (now - this.#deps.owner().tidiedAt < EVERY_MS) return;
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
      await forgetAudit(this.#deps.database, this.#deps.owner().agentId, before);
      this.#deps.fence.write(() => dropEndedSubagents(this.#deps.store, before));
    } catch (error) {
      writeLog("warn", "retention.failed", { error: messageOf(error) });
    }
  }
}
