import { sql } from "drizzle-orm";
import { newId } from "../lib/ids.ts";
import type { EventLog } from "./event-log.ts";
import type { QueuePolicy } from "./queue.ts";
import type { AcceptRequest } from "./run-request.ts";
import { session } from "./schema.ts";
import { cachedRead, prepared, type Store } from "./store.ts";
import type { SessionSettings } from "./stored-shapes.ts";

/** Whose session an object is, as stored. */
export interface SessionRow extends Omit<typeof session.$inferSelect, "settings"> {
  settings: SessionSettings;
}

const onlyRow = prepared((store) => store.select().from(session).prepare());

/** The session that this object holds; undefined before its first message. Settings that are damaged are none. */
export const readSessionRow = cachedRead((store): SessionRow | undefined => {
  const row = onlyRow(store).get();
  return row && { ...row, settings: row.settings ?? {} };
});

/** What a session begins with. */
export interface NewSession {
  key: string;
  agentId: string;
  /** What it has of its own from the start. */
  settings: SessionSettings;
  now: number;
}

/** Makes the object the session of a key. */
export function createSessionRow(store: Store, log: EventLog, birth: NewSession): SessionRow {
  const { key, agentId, settings, now } = birth;
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
    // A cursor before it is of a session that was deleted.
    oldestCursor: log.lastSeq + 1,
    tidiedAt: 0,
    activeAt: 0,
    prunedSeq: 0,
    viewSeq: 0,
    flushedSeq: 0,
  };
  store.insert(session).values(row).run();
  return row;
}

/** Changes how a session treats what comes while it is busy; an empty change goes back to the configuration. */
export function saveQueuePolicy(store: Store, change: Partial<QueuePolicy>): void {
  const isReset = Object.keys(change).length === 0;
  saveSetting(store, "queue", isReset ? undefined : { ...readSessionRow(store)?.settings.queue, ...change });
}

/** Changes what a session has of its own; undefined goes back to the configuration. */
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

/** Lets a tool run in this session from now on without anybody's word. */
export function allowTool(store: Store, tool: string): void {
  const allowed = readSessionRow(store)?.settings.allowedTools ?? [];
  saveSetting(store, "allowedTools", [...new Set([...allowed, tool])]);
}

/** Begins a conversation: another session id, and a context from a number on. */
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

/** Notes that results before a number are shortened for the model, which sees the messages up to `viewSeq` anew by that. */
export function savePruned(store: Store, prunedSeq: number, viewSeq: number): void {
  store.update(session).set({ prunedSeq, viewSeq }).run();
}

/** Notes where a memory flush begins. */
export function saveFlushed(store: Store, flushedSeq: number): void {
  store.update(session).set({ flushedSeq }).run();
}

/** Notes that the session is to be deleted. */
export function markDeleting(store: Store): void {
  store.update(session).set({ deleting: true }).run();
}

/** Notes when what is old was last cleared away. */
export function saveTidiedAt(store: Store, tidiedAt: number): void {
  store.update(session).set({ tidiedAt }).run();
}

/** Notes that events up to a number may be missing. */
export function saveOldestCursor(store: Store, seq: number): void {
  store
    .update(session)
    .set({ oldestCursor: sql`max(${session.oldestCursor}, ${seq})` })
    .run();
}

/** What a session begins with that a message begins. */
export function newSession(
  { sessionKey: key, agentId, input: { origin }, lingerMs }: AcceptRequest,
  now: number,
): NewSession {
  const spawned = origin?.kind === "spawn" ? origin.spawned : undefined;
  return { key, agentId, settings: { ...(spawned && { spawned }), ...(lingerMs !== undefined && { lingerMs }) }, now };
}
