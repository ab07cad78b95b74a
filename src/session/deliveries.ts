import type { Delivery } from "../channels/channel.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import type { AuditTrail } from "../session-store/audit-trail.ts";
import type { Fence } from "../session-store/fence.ts";
import { lostDeliveries } from "../session-store/lost-deliveries.ts";
import { drainOutbox, isInterrupted, type OutboxRow, sendAgain } from "../session-store/outbox.ts";
import type { Store } from "../session-store/store.ts";
import type { DeliveryFormat } from "./delivery-format.ts";
import { runSentHooks } from "./run-hooks.ts";
import type { PartSender } from "./send-part.ts";

/** Dependencies of `Deliveries`. */
export interface DeliveriesDeps {
  store: Store;
  fence: Fence;
  format: Pick<DeliveryFormat, "prepareParts">;
  sender: Pick<PartSender, "send" | "repeats">;
  hooks: SessionHooks;
  audit: Pick<AuditTrail, "write">;
  /** Called when no delivery is due. */
  drained(): void;
  now(): number;
}

/** Sends replies to their channels: the deliveries of a session's outbox, one part at a time. */
export class Deliveries {
  readonly #deps: DeliveriesDeps;
  #draining: Promise<void> | undefined;
  /** Whether an earlier incarnation died while it sent something. */
  #wasInterrupted = false;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
  }

  /** Sends all parts that are due. Never rejects; only one such round runs at a time. */
  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  /** Sends what is due after the current commit: each part is marked as sending in a commit of its own. */
  async drainSoon(): Promise<void> {
    await Promise.resolve();
    await this.drain();
  }

  /** Tells that a message which the platform had accepted did not arrive. */
  noteFailed(row: OutboxRow): void {
    if (row.detail?.outcome === "failed") this.#note(row, row.detail);
  }

  /** Tells that an earlier incarnation died while it sent something: `rows` are unsure since. */
  interrupted(rows: readonly OutboxRow[]): void {
    this.#wasInterrupted = rows.length > 0;
    for (const row of rows) if (row.detail !== null && row.detail !== undefined) this.#note(row, row.detail);
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    try {
      const { store, fence, format, sender, hooks, now } = this.#deps;
      const write = <Result>(work: () => Result) => fence.write(work);
      if (this.#wasInterrupted) this.#repeatInterrupted();
      await drainOutbox({
        store,
        write,
        prepareParts: (...draft) => format.prepareParts(...draft),
        send: (part, signal) => sender.send(part, signal),
        sent: (row, delivery) => {
          runSentHooks(row, delivery, hooks);
          this.#note(row, delivery);
        },
        now,
      });
    } catch (error) {
      log("error", "outbox.failed", { error: messageOf(error) });
    }
    // Reset before the promise settles: parts enqueued in between would otherwise wait for the next round.
    this.#draining = undefined;
    this.#deps.drained();
  }

  /** Sends again what an earlier incarnation may have sent, where the account prefers that. */
  #repeatInterrupted(): void {
    const { store, fence, sender, now } = this.#deps;
    this.#wasInterrupted = false;
    const again = lostDeliveries(store).filter((row) => isInterrupted(row) && row.target && sender.repeats(row.target));
    if (again.length > 0) fence.write(() => again.map((row) => sendAgain(store, row, now())));
  }

  /** Notes in the audit trail what did not arrive, or may not have, and what arrived after all. */
  #note({ deliveryId, runId, target, detail }: OutboxRow, delivery: Delivery): void {
    const isLost = delivery.outcome === "failed" || delivery.outcome === "unsure";
    const wasLost = detail?.outcome === "failed" || detail?.outcome === "unsure";
    if (!isLost && !(wasLost && delivery.outcome === "delivered")) return;
    const why = isLost ? `: ${delivery.reason}` : "";
    const by = target === undefined ? "unknown" : `${target.channel}:${target.conversationId}`;
    this.#deps.audit.write([{ kind: "delivery", by, subject: deliveryId, detail: `${delivery.outcome}${why}`, runId }]);
  }
}
