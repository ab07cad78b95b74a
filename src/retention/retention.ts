import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { forgetAudit } from "../session-store/session-index.ts";
import { saveTidiedAt } from "../session-store/session-row.ts";
import { dropEndedChildren } from "../session-store/subagent-rows.ts";
import { clearEvents } from "./clear-events.ts";
import { clearDeliveries, clearMessages, clearRuns } from "./clear-history.ts";
import { clearPrompts } from "./clear-prompts.ts";
import type { RetentionRoom } from "./retention-deps.ts";

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
  readonly #room: RetentionRoom;
  #tidying: Promise<void> | undefined;

  constructor(room: RetentionRoom) {
    this.#room = room;
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
      const now = this.#room.now();
      if (now - this.#room.owner().tidiedAt < EVERY_MS) return;
      this.#room.fence.write(() => saveTidiedAt(this.#room.store, now));
      const { days: keepDays } = this.#room.wiring().config.session.retention;
      const eventDays = keepDays === 0 ? EVENT_DAYS : Math.min(keepDays, EVENT_DAYS);
      await clearEvents(this.#room, now - eventDays * DAY_MS);
      if (keepDays === 0) return;
      const before = now - keepDays * DAY_MS;
      await clearMessages(this.#room, before);
      await clearRuns(this.#room, before);
      await clearPrompts(this.#room, before);
      await clearDeliveries(this.#room, before);
      await forgetAudit(this.#room.database, this.#room.owner().agentId, before);
      this.#room.fence.write(() => dropEndedChildren(this.#room.store, before));
    } catch (error) {
      writeLog("warn", "retention.failed", { error: messageOf(error) });
    }
  }
}
