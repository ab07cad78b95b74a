import { and, eq, gt, isNotNull, isNull, lt, ne, notLike } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { ownId } from "../config/own-ids.ts";
import { KnownAnswers } from "../db/known-answers.ts";
import { pairings } from "../db/schema.ts";
import type { AnyChannel } from "./channel.ts";

/** How long a pairing code is valid. */
const CODE_LIFE_MS = 3_600_000;
/** Most open requests per account; more are ignored until some are approved or expire. */
const MAX_WAITING = 3;

/** A paired sender. */
export interface PairedSender {
  id: string;
  owner: boolean;
}

/** A sender on one account of a channel. */
export interface Peer {
  channelId: string;
  accountId: string;
  senderId: string;
}

/** The pairing of a sender; undefined if not paired. */
export async function findPaired(database: D1Database, peer: Peer): Promise<PairedSender | undefined> {
  const row = await readPairing(database, pairingId(peer));
  return row && { id: peer.senderId, ...row };
}

const knownPairings = new KnownAnswers<{ owner: boolean }>((database, id) => readPairing(database, id));

/**
 * The same, from an answer of the last minute if this isolate has one: a pairing that was removed holds no longer.
 * @param now milliseconds since the epoch
 * @param waitUntil keeps the caller alive while D1 is asked again
 */
export async function findKnownPaired(
  database: D1Database,
  peer: Peer,
  now: number,
  waitUntil: (promise: Promise<unknown>) => void,
): Promise<PairedSender | undefined> {
  const known = await knownPairings.get(database, pairingId(peer), now, waitUntil);
  return known && { id: peer.senderId, ...known };
}

function readPairing(database: D1Database, id: string): Promise<{ owner: boolean } | undefined> {
  return drizzle(database)
    .select({ owner: pairings.owner })
    .from(pairings)
    .where(and(eq(pairings.id, id), isNotNull(pairings.approvedAt)))
    .get();
}

/** A new pairing request. */
export interface PairingRequest extends Peer {
  senderName?: string;
  /** Random; the approver names the sender by it. */
  code: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Stores a request. False if the sender already has one, or too many are open. */
export async function requestPairing(database: D1Database, request: PairingRequest): Promise<boolean> {
  const { code, senderName, now, ...peer } = request;
  const db = drizzle(database);
  const { channelId, accountId } = peer;
  await db.delete(pairings).where(and(isNull(pairings.approvedAt), lt(pairings.requestedAt, now - CODE_LIFE_MS)));
  const waiting = await db.$count(
    pairings,
    and(
      eq(pairings.channelId, channelId),
      eq(pairings.accountId, accountId),
      isNull(pairings.approvedAt),
      ne(pairings.id, `${channelId}:${accountId}:${INVITATION}`),
    ),
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

/** Deletes an unapproved request. */
export async function forgetRequest(database: D1Database, peer: Peer): Promise<void> {
  await drizzle(database)
    .delete(pairings)
    .where(and(eq(pairings.id, pairingId(peer)), isNull(pairings.approvedAt)));
}

/** The end of the id of an invitation, in place of a sender's. */
const INVITATION = "(invitation)";
/** Letters that an invitation's code has and a pairing code, which is upper case, never has. */
const INVITATION_CODE = /^\/start\s+([0-9a-z]{26})$/;

/**
 * Stores an invitation: whoever sends its code to the account within an hour is paired as an owner, once. A newer one
 * replaces it.
 * @param code 26 random characters of base32, in lower case
 */
export async function inviteOwner(
  database: D1Database,
  { channelId, accountId, code, now }: Omit<Peer, "senderId"> & { code: string; now: number },
): Promise<void> {
  const id = `${channelId}:${accountId}:${INVITATION}`;
  const row = { channelId, accountId, code, senderName: "Owner link", requestedAt: now, approvedAt: null, owner: true };
  await drizzle(database)
    .insert(pairings)
    .values({ id, ...row })
    .onConflictDoUpdate({ target: pairings.id, set: row });
}

/** The code in a message that may accept an invitation; undefined for any other text. */
export function invitationCode(text: string): string | undefined {
  return INVITATION_CODE.exec(text.trim())?.[1];
}

/** Pairs the sender of an invitation's code as an owner. False if there is no such invitation, or it is older than an hour. */
export async function acceptInvitation(
  database: D1Database,
  { senderName, code, now, ...peer }: PairingRequest,
): Promise<boolean> {
  const { channelId, accountId } = peer;
  const db = drizzle(database);
  const used = await db
    .delete(pairings)
    .where(
      and(
        eq(pairings.id, `${channelId}:${accountId}:${INVITATION}`),
        eq(pairings.code, code),
        gt(pairings.requestedAt, now - CODE_LIFE_MS),
      ),
    )
    .returning({ id: pairings.id });
  if (used.length === 0) return false;
  const id = pairingId(peer);
  const row = { channelId, accountId, code: "", senderName: senderName ?? null, requestedAt: now, approvedAt: now };
  await db
    .insert(pairings)
    .values({ id, ...row, owner: true })
    .onConflictDoUpdate({ target: pairings.id, set: { approvedAt: now, owner: true } });
  knownPairings.drop(database, id);
  return true;
}

/** A stored pairing request. */
export type Pairing = typeof pairings.$inferSelect;

/** Approves the request with this code. Undefined if there is none, or it is older than an hour. */
export async function approvePairing(
  database: D1Database,
  code: string,
  owner: boolean,
  now: number,
): Promise<Pairing | undefined> {
  return drizzle(database)
    .update(pairings)
    .set({ approvedAt: now, owner })
    .where(
      and(
        eq(pairings.code, code.toUpperCase()),
        isNull(pairings.approvedAt),
        gt(pairings.requestedAt, now - CODE_LIFE_MS),
      ),
    )
    .returning()
    .get();
}

/** Open and approved requests. */
export async function listPairings(database: D1Database): Promise<Pairing[]> {
  return drizzle(database)
    .select()
    .from(pairings)
    .where(notLike(pairings.id, `%:${INVITATION}`))
    .limit(500);
}

/** Deletes a pairing: the sender has to ask again. False if there was none. */
export async function removePairing(database: D1Database, id: string): Promise<boolean> {
  const removed = await drizzle(database).delete(pairings).where(eq(pairings.id, id)).returning({ id: pairings.id });
  knownPairings.drop(database, id);
  return removed.length > 0;
}

/** Who is paired: `channel:id`, as `commands.ownerAllowFrom` names owners. */
export function pairedPerson(
  { id: pairing, channelId, accountId }: Pick<Pairing, "id" | "channelId" | "accountId">,
  { hasOwnIds }: Pick<AnyChannel, "hasOwnIds">,
): string {
  const id = decodeURIComponent(pairing.split(":")[2] ?? "");
  return `${channelId}:${hasOwnIds ? ownId({ accountId, id }) : id}`;
}

function pairingId({ channelId, accountId, senderId }: Peer): string {
  return `${channelId}:${accountId}:${encodeURIComponent(senderId)}`;
}
