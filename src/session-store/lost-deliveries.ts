import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { InboundReceipt, Target } from "../channels/channel.ts";
import { isSameConversation, type OutboxRow, sendAgain } from "./outbox.ts";
import { outbox } from "./schema.ts";
import type { Store } from "./store.ts";

/** Most lost deliveries that are listed, told of and sent again at once. */
const MAX_LOST = 50;

/** Exactly the condition of the index `outbox_lost`. */
const LOST = sql`${outbox.status} IN ('failed', 'unsure')`;

/** The newest deliveries that did not arrive, or may not have, oldest first. */
export function lostDeliveries(store: Store): OutboxRow[] {
  return store.select().from(outbox).where(LOST).orderBy(desc(outbox.id)).limit(MAX_LOST).all().reverse();
}

/**
 * Those of a conversation that it was not told of yet, oldest first; they count as told from now on. What the channel
 * refused from the message tool of the run at hand is left out: the run's reply has it.
 */
export function takeUntold(store: Store, target: Target, runId: string): OutboxRow[] {
  const untold = store
    .select()
    .from(outbox)
    .where(and(LOST, eq(outbox.told, false)))
    .orderBy(asc(outbox.id))
    .limit(MAX_LOST)
    .all()
    .filter((row) => row.target !== undefined && isSameConversation(row.target, target));
  if (untold.length > 0) {
    const ids = untold.map(({ id }) => id);
    store.update(outbox).set({ told: true }).where(inArray(outbox.id, ids)).run();
  }
  return untold.filter((row) => row.runId !== runId || row.status !== "failed" || row.source?.kind !== "message");
}

/** Most newest deliveries that are searched for a platform's id. */
const MAX_SEARCHED = 500;

/** A message that the platform had accepted, and that did not arrive. */
export type FailedDelivery = Pick<InboundReceipt, "externalId" | "deliveryId" | "reason" | "resendVia">;

/**
 * Marks a message as failed that the platform had accepted, by its id there, or by the delivery's own where no answer
 * told of that id. Sets it to pending if the platform takes it in another way.
 * @returns its new state; undefined where there is none with this id, or its failure is known
 */
export function failDelivered(
  store: Store,
  { externalId, deliveryId, reason = "no reason was given", resendVia }: FailedDelivery,
  now: number,
): OutboxRow | undefined {
  const newest = store.select().from(outbox).orderBy(desc(outbox.id)).limit(MAX_SEARCHED).all();
  const row = newest.find((one) =>
    one.status === "unsure"
      ? one.deliveryId === deliveryId
      : one.status === "delivered" && one.detail?.outcome === "delivered" && one.detail.externalId === externalId,
  );
  if (row === undefined) return undefined;
  if (resendVia !== undefined && row.target !== undefined) {
    const target = { ...row.target, via: resendVia };
    store.update(outbox).set({ target }).where(eq(outbox.id, row.id)).run();
    return { ...row, target, ...sendAgain(store, row, now) };
  }
  const failed = { status: "failed", detail: { outcome: "failed", reason }, told: false } as const;
  store.update(outbox).set(failed).where(eq(outbox.id, row.id)).run();
  return { ...row, ...failed };
}

/** Sends the lost deliveries of a conversation again, or those of all of them. @returns how many */
export function resendLost(store: Store, target: Target | null, askedAt: number): number {
  const again = lostDeliveries(store).filter(
    (row) => target === null || (row.target !== undefined && isSameConversation(row.target, target)),
  );
  for (const row of again) sendAgain(store, row, askedAt);
  return again.length;
}
