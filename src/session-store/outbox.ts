import { asc, eq, sql } from "drizzle-orm";
import type { Delivery, OutboundPart, Target } from "../channels/channel.ts";
import { backoffMs } from "../lib/backoff.ts";
import { within } from "../lib/deadline.ts";
import { newId } from "../lib/ids.ts";
import { type DeliveryStatus, outbox } from "./schema.ts";
import { SESSION_CHANNEL } from "./session-channel.ts";
import { cachedRead, prepared, type Store } from "./store.ts";
import type { DeliverySource } from "./stored-shapes.ts";

/**
 * Distance between the ids of two parts. Ids are the order of sending: the parts that a draft is split into later take
 * the ids after its own, so that they go out before what was enqueued behind it. It is also the most parts of a draft.
 */
const ID_GAP = 10_000;

/** How long a delivery that surely did not arrive is tried again. */
const GIVE_UP_MS = 24 * 60 * 60_000;
const RETRY_BACKOFF = { firstMs: 1000, longestMs: 10 * 60_000 };
/** Timeout of one request to a channel. */
const SEND_TIMEOUT_MS = 30_000;

/** A stored delivery. */
export type OutboxRow = typeof outbox.$inferSelect;

/** Exactly the condition of the index `outbox_open`; otherwise SQLite reads every row. */
const OPEN = sql`${outbox.status} IN ('pending', 'sending')`;
const PENDING = sql`${OPEN} AND ${outbox.status} = 'pending'`;
const CHANNEL = sql`CASE WHEN json_valid(${outbox.target}) THEN ${outbox.target} ->> '$.channel' END`;
const SENDING = sql`${OPEN} AND ${outbox.status} = 'sending'`;

/** A delivery's state after an attempt. One that surely did not arrive is tried again until `giveUpAt`. */
function afterAttempt(
  attempts: number,
  delivery: Delivery,
  { now, giveUpAt }: { now: number; giveUpAt: number },
): { status: DeliveryStatus; attempts: number; dueAt: number } {
  const tried = attempts + 1;
  if (delivery.outcome !== "retry") return { status: delivery.outcome, attempts: tried, dueAt: now };
  if (now >= giveUpAt) return { status: "failed", attempts: tried, dueAt: now };
  const pauseMs = Math.max(delivery.afterMs, backoffMs(attempts, RETRY_BACKOFF));
  return { status: "pending", attempts: tried, dueAt: Math.min(now + pauseMs, giveUpAt) };
}

const nextId = sql`(SELECT coalesce(max(${outbox.id}), 0) + ${sql.raw(String(ID_GAP))} FROM ${outbox})`;

/** A part of a text, or a file, to be sent. */
export interface OutboxPart {
  target: Target;
  /** In the channel's markup; of a file, the replacement text for channels without files. */
  text: string;
  /** Whether `text` is the whole Markdown, which message hooks process, and the channel formats, before it is sent. */
  draft?: boolean;
  /** The content, where it is read again later. */
  source?: DeliverySource;
  /** Whether nobody needs to be told if it is lost. */
  isAside?: boolean;
  /** How long it waits, in milliseconds; 0 where absent. */
  pauseMs?: number;
}

/** The parts that a run sends at once. */
export interface Outgoing {
  runId: string;
  /** In order. */
  parts: readonly OutboxPart[];
  /** The ids of its parts, where they must be the same on every attempt. */
  deliveryIds?: readonly string[];
}

/**
 * Adds parts to the outbox.
 * @returns their delivery ids, in order
 */
export function enqueue(store: Store, { runId, parts, deliveryIds }: Outgoing, now: number): string[] {
  return parts.map(({ target, text, draft = false, source = null, isAside: told = false, pauseMs = 0 }, n) => {
    const deliveryId = deliveryIds?.[n] ?? newId("dlv", now);
    const row = { id: nextId, deliveryId, runId, target, text, draft, source, told };
    store
      .insert(outbox)
      .values({ ...row, status: "pending", attempts: 0, dueAt: now + pauseMs, askedAt: now, detail: null })
      .run();
    return deliveryId;
  });
}

/** Whether two targets are the same conversation, whichever message they reply to. */
export function isSameConversation(a: Target, b: Target): boolean {
  return (
    a.channel === b.channel &&
    a.accountId === b.accountId &&
    a.conversationId === b.conversationId &&
    a.threadId === b.threadId
  );
}

/** The deliveries of a run, in order. */
export function runDeliveries(store: Store, runId: string): OutboxRow[] {
  return store.select().from(outbox).where(eq(outbox.runId, runId)).orderBy(asc(outbox.id)).all();
}

/** When the outbox is due next, in milliseconds since the epoch; undefined where nothing is pending. */
export function outboxDueAt(store: Store): number | undefined {
  return firstWaiting(store)?.dueAt;
}

/** Whether an earlier incarnation died while it sent something. */
export function isSending(store: Store): boolean {
  return store.select({ id: outbox.id }).from(outbox).where(SENDING).limit(1).get() !== undefined;
}

/**
 * Marks as unsure what an earlier incarnation was sending when it died: it may have arrived. A delivery to a session
 * goes back to pending, because a session accepts it once however often it is sent.
 * @returns the unsure ones
 */
export function markInterruptedUnsure(store: Store): OutboxRow[] {
  store.update(outbox).set({ status: "pending" }).where(sql`${SENDING} AND ${CHANNEL} = ${SESSION_CHANNEL}`).run();
  const detail = { outcome: "unsure", reason: INTERRUPTED } as const;
  return store.update(outbox).set({ status: "unsure", detail }).where(SENDING).returning().all();
}

/** Whether a delivery is unsure because the session was interrupted. */
export function isInterrupted({ status, detail }: Pick<OutboxRow, "status" | "detail">): boolean {
  return status === "unsure" && detail?.outcome === "unsure" && detail.reason === INTERRUPTED;
}

const INTERRUPTED = "The session was interrupted while it was being sent.";

/** A person's request to send a delivery again. */
export interface ResendRequest {
  runId: string;
  deliveryId: string;
  /** When it was made. */
  askedAt: number;
}

/**
 * Sets a failed or unsure delivery to pending because a person asks for it. An attempt that is newer than the request
 * stays as it is: then the request is a repetition.
 * @returns its new state; undefined where the run has no such delivery
 */
export function resend(store: Store, { runId, deliveryId, askedAt }: ResendRequest): OutboxRow | undefined {
  const row = runDeliveries(store, runId).find((delivery) => delivery.deliveryId === deliveryId);
  if (row === undefined || (row.status !== "failed" && row.status !== "unsure") || row.dueAt >= askedAt) return row;
  return { ...row, ...sendAgain(store, row, askedAt) };
}

/** Sets a delivery to pending. @returns what has changed of it */
export function sendAgain(store: Store, { id }: Pick<OutboxRow, "id">, askedAt: number) {
  const again = { status: "pending", attempts: 0, dueAt: askedAt, askedAt, told: false } as const;
  store.update(outbox).set(again).where(eq(outbox.id, id)).run();
  return again;
}

/** Deletes pending deliveries. */
export function dropPending(store: Store): void {
  store.delete(outbox).where(PENDING).run();
}

/** Dependencies of `drainOutbox`. */
export interface OutboxPorts extends DraftPorts {
  send(part: OutboundPart & { source: DeliverySource | null | undefined }, signal: AbortSignal): Promise<Delivery>;
  /** Called when the outcome of an attempt is stored. */
  sent(row: OutboxRow & { target: Target }, delivery: Delivery): void;
}

/**
 * Sends replies to their channels: all due parts of the outbox, one after the other. A part waits until earlier ones to
 * the same conversation are settled, so that a reply arrives in order. Each is marked as sending first, and the mark is
 * durable before the request leaves the object.
 */
export async function drainOutbox(ports: OutboxPorts): Promise<void> {
  for (
    let row = firstWaiting(ports.store);
    row !== undefined && row.dueAt <= ports.now();
    row = firstWaiting(ports.store)
  ) {
    const { id, target, text, draft, deliveryId, attempts, askedAt, source } = row;
    if (draft && target !== undefined) {
      await formatDraft({ ...row, target }, ports);
      continue;
    }
    ports.write(() => ports.store.update(outbox).set({ status: "sending" }).where(eq(outbox.id, id)).run());
    const delivery =
      target === undefined
        ? NOWHERE
        : await within(SEND_TIMEOUT_MS, (signal) => ports.send({ target, text, deliveryId, source }, signal));
    const giveUpAt = target?.channel === SESSION_CHANNEL ? Number.POSITIVE_INFINITY : askedAt + GIVE_UP_MS;
    ports.write(() =>
      ports.store
        .update(outbox)
        .set({ ...afterAttempt(attempts, delivery, { now: ports.now(), giveUpAt }), detail: delivery })
        .where(eq(outbox.id, id))
        .run(),
    );
    if (target !== undefined) ports.sent({ ...row, target }, delivery);
  }
}

const NOWHERE: Delivery = { outcome: "failed", reason: "Where it was to go cannot be read any more." };

const CONVERSATION = sql`CASE WHEN json_valid(${outbox.target}) THEN json_array(
  ${outbox.target} ->> '$.channel', ${outbox.target} ->> '$.accountId', ${outbox.target} ->> '$.conversationId'
) END`;
/** The first pending delivery of each conversation. */
const FIRST_ONES = sql`(SELECT min(${outbox.id}) FROM ${outbox} WHERE ${PENDING} GROUP BY ${CONVERSATION})`;

const first = prepared((store) =>
  store
    .select()
    .from(outbox)
    .where(sql`${PENDING} AND ${outbox.id} IN ${FIRST_ONES}`)
    .orderBy(asc(outbox.dueAt), asc(outbox.id))
    .limit(1)
    .prepare(),
);

const firstWaiting = cachedRead((store): OutboxRow | undefined => first(store).get());

/** What formatting a draft needs. */
export interface DraftPorts {
  store: Store;
  write<Result>(work: () => Result): Result;
  /** Runs the message hooks over a draft and formats it: its parts, or the reason why it is not sent. */
  prepareParts(markdown: string, target: Target, runId: string): Promise<readonly OutboxPart[] | { refusal: string }>;
  now(): number;
}

/**
 * Replaces a draft by its formatted parts. Hooks may take long, but the text must be stored in the commit that it
 * belongs to: so it is stored as a draft, and formatted when its turn comes. After a crash it is formatted again.
 */
async function formatDraft(row: OutboxRow & { target: Target }, ports: DraftPorts): Promise<void> {
  const { store, write, now } = ports;
  const { id, runId, target, dueAt, askedAt } = row;
  const ready = await ports.prepareParts(row.text, target, runId);
  const [first, ...others] = "refusal" in ready ? [] : ready.slice(0, ID_GAP);
  const reason = "refusal" in ready ? ready.refusal : "Nothing was left of it.";
  const refused = { status: "failed", detail: { outcome: "failed", reason } } as const;
  write(() => {
    const change = first === undefined ? refused : { text: first.text, draft: false };
    store.update(outbox).set(change).where(eq(outbox.id, id)).run();
    for (const [n, { text, target: place, source = null }] of others.entries()) {
      const part = { id: id + n + 1, deliveryId: newId("dlv", now()), runId, target: place, text };
      const pending = { status: "pending", attempts: 0, dueAt, askedAt, detail: null, source } as const;
      store
        .insert(outbox)
        .values({ ...part, ...pending })
        .run();
    }
  });
}
