import { and, eq, isNotNull, isNull, lt } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { pairings } from "../db/schema.ts";

/** How long a code may be approved. */
const CODE_LIFE_MS = 3_600_000;
/** Requests that may wait at once for one account; more are ignored until some are approved or too old. */
const MAX_WAITING = 3;

/** Somebody whom an owner let in. */
export interface PairedSender {
  id: string;
  owner: boolean;
}

/** The person on the other side of one account of a channel. */
export interface Peer {
  channelId: string;
  accountId: string;
  senderId: string;
}

/** Whether and how this person was let in. */
export async function findPaired(database: D1Database, peer: Peer): Promise<PairedSender | undefined> {
  const row = await drizzle(database)
    .select({ owner: pairings.owner })
    .from(pairings)
    .where(and(eq(pairings.id, pairingId(peer)), isNotNull(pairings.approvedAt)))
    .get();
  return row && { id: peer.senderId, owner: row.owner };
}

/** Somebody who asks to be let in. */
export interface PairingRequest extends Peer {
  senderName?: string;
  /** Drawn by chance: whoever approves it says by it whom they mean. */
  code: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Notes a request. Gives false where this person has a code already, or too many people wait. */
export async function requestPairing(database: D1Database, request: PairingRequest): Promise<boolean> {
  const { code, senderName, now, ...peer } = request;
  const db = drizzle(database);
  const { channelId, accountId } = peer;
  await db.delete(pairings).where(and(isNull(pairings.approvedAt), lt(pairings.requestedAt, now - CODE_LIFE_MS)));
  const waiting = await db.$count(
    pairings,
    and(eq(pairings.channelId, channelId), eq(pairings.accountId, accountId), isNull(pairings.approvedAt)),
  );
  if (waiting >= MAX_WAITING) return false;
  const added = await db
    .insert(pairings)
    .values({
      id: pairingId(peer),
      channelId,
      accountId,
      code,
      senderName: senderName ?? null,
      requestedAt: now,
      owner: false,
    })
    .onConflictDoNothing()
    .returning({ code: pairings.code });
  return added.length > 0;
}

/** Takes a request back that has not been approved. */
export async function forgetRequest(database: D1Database, peer: Peer): Promise<void> {
  await drizzle(database)
    .delete(pairings)
    .where(and(eq(pairings.id, pairingId(peer)), isNull(pairings.approvedAt)));
}

/** A request to be let in. */
export type Pairing = typeof pairings.$inferSelect;

/** Lets in whoever was told this code. Gives undefined where no such code waits. */
export async function approvePairing(
  database: D1Database,
  code: string,
  owner: boolean,
  now: number,
): Promise<Pairing | undefined> {
  return drizzle(database)
    .update(pairings)
    .set({ approvedAt: now, owner })
    .where(and(eq(pairings.code, code.toUpperCase()), isNull(pairings.approvedAt)))
    .returning()
    .get();
}

/** Everybody who waits or was let in. */
export async function listPairings(database: D1Database): Promise<Pairing[]> {
  return drizzle(database).select().from(pairings).limit(500);
}

/** Forgets a person: they have to ask again. Gives whether there was one. */
export async function removePairing(database: D1Database, id: string): Promise<boolean> {
  const removed = await drizzle(database).delete(pairings).where(eq(pairings.id, id)).returning({ id: pairings.id });
  return removed.length > 0;
}

function pairingId({ channelId, accountId, senderId }: Peer): string {
  return `${channelId}:${accountId}:${encodeURIComponent(senderId)}`;
}
