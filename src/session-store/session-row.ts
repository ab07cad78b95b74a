import { sql } from "drizzle-orm";
import type { SessionLocation } from "../config/session-schema.ts";
import { newId } from "../lib/ids.ts";
import type { EventLog } from "./event-log.ts";
import type { QueuePolicy } from "./queue.ts";
import type { AcceptRequest } from "./run-request.ts";
import { session } from "./schema.ts";
import { cachedRead, prepared, type Store } from "./store.ts";
import type { SessionSettings } from "./stored-shapes.ts";

/** The stored session of an object. */
export interface SessionRow extends Omit<typeof session.$inferSelect, "settings"> {
  settings: SessionSettings;
}

const onlyRow = prepared((store) => store.select().from(session).prepare());

/** The session of this object; undefined before its first message. Unreadable settings count as empty. */
export const readSessionRow = cachedRead((store): SessionRow | undefined => {
  const row = onlyRow(store).get();
  return row && { ...row, settings: row.settings ?? {} };
});

/** The initial values of a session. */
export interface NewSession {
  key: string;
  agentId: string;
  /** Its own settings from the start. */
  settings: SessionSettings;
  location: SessionLocation;
  now: number;
}

/** Creates the session of this object. */
export function createSessionRow(store: Store, log: EventLog, initial: NewSession): SessionRow {
  const { key, agentId, settings, location, now } = initial;
  const row: SessionRow = {
    id: 1,
    key,
    agentId,
    sessionId: newId("ses", now),
    createdAt: now,
    epoch: 1,
    reservedSeq: log.reserve(),
    contextSeq: 1,
    settings,
    deleting: false,
    // An older cursor belongs to a session that was deleted.
    oldestCursor: log.lastSeq + 1,
    tidiedAt: 0,
    activeAt: 0,
    prunedSeq: 0,
    viewSeq: 0,
    flushedSeq: 0,
    location,
  };
  store.insert(session).values(row).run();
  return row;
}

/** Changes the queue policy of a session; an empty change goes back to the configuration. */
export function saveQueuePolicy(store: Store, change: Partial<QueuePolicy>): void {
  const isReset = Object.keys(change).length === 0;
  saveSetting(store, "queue", isReset ? undefined : { ...readSessionRow(store)?.settings.queue, ...change });
}

/** Changes a setting of a session; undefined goes back to the configuration. */
export function saveSetting<Key extends keyof SessionSettings>(
  store: Store,
  key: Key,
  value: SessionSettings[Key] | undefined,
): void {
  const { [key]: _, ...others } = readSessionRow(store)?.settings ?? {};
  saveSettings(store, value === undefined ? others : { ...others, [key]: value });
}

function saveSettings(store: Store, settings: SessionSettings): void {
  store.update(session).set({ settings }).run();
}

/** Begins a conversation: a new session id, and a context that starts at a number. */
export function saveConversation(
  store: Store,
  { sessionId, fromSeq, settings }: { sessionId: string; fromSeq: number; settings: SessionSettings },
): void {
  store.update(session).set({ sessionId, contextSeq: fromSeq, settings }).run();
}

/** Stores when a person last wrote, in milliseconds since the epoch. */
export function saveActivity(store: Store, at: number): void {
  store
    .update(session)
    .set({ activeAt: sql`max(${session.activeAt}, ${at})` })
    .run();
}

/**
 * Results before a number are shortened from now on; the model has not seen the messages up to `viewSeq` in this form.
 */
export function savePruned(store: Store, prunedSeq: number, viewSeq: number): void {
  store.update(session).set({ prunedSeq, viewSeq }).run();
}

/** Stores where a memory flush begins. */
export function saveFlushed(store: Store, flushedSeq: number): void {
  store.update(session).set({ flushedSeq }).run();
}

/** The session is in an object that was created elsewhere. */
export function saveLocation(store: Store, location: SessionLocation): void {
  store.update(session).set({ location }).run();
}

/** Marks the session as being deleted. */
export function markDeleting(store: Store): void {
  store.update(session).set({ deleting: true }).run();
}

/** Stores when retention last ran. */
export function saveTidiedAt(store: Store, tidiedAt: number): void {
  store.update(session).set({ tidiedAt }).run();
}

/** Events up to a number may be missing from now on. */
export function saveOldestCursor(store: Store, seq: number): void {
  store
    .update(session)
    .set({ oldestCursor: sql`max(${session.oldestCursor}, ${seq})` })
    .run();
}

/** The initial values of a session that a request creates. */
export function newSession(
  { sessionKey: key, agentId, input: { origin }, lingerMs }: AcceptRequest,
  location: SessionLocation,
  now: number,
): NewSession {
  const spawned = origin?.kind === "spawn" ? origin.spawned : undefined;
  const settings = { ...(spawned && { spawned }), ...(lingerMs !== undefined && { lingerMs }) };
  return { key, agentId, settings, location, now };
}
