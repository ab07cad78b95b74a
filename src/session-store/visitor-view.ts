import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Target } from "../channels/channel.ts";
import { isSameConversation } from "./outbox.ts";
import { newestFirst } from "./recent-messages.ts";
import { isSettled } from "./run.ts";
import { findRun, openRuns } from "./runs.ts";
import { outbox } from "./schema.ts";
import type { SessionRow } from "./session-row.ts";
import type { Store } from "./store.ts";
import type { AttachedFile } from "./stored-shapes.ts";

/** Most messages that a visitor is shown, the newest ones, and most of their UTF-16 units. */
const MAX_ENTRIES = 50;
const MAX_UNITS = 200_000;
/** Most messages of the transcript that are searched for the visitor's own. */
const MAX_SEARCHED = 500;

/** What was said between a visitor and the agent. */
export interface VisitorEntry {
  /** Of a visitor's message: the browser's id. */
  id: string;
  /** In milliseconds since the epoch. */
  at: number;
  from: "visitor" | "agent";
  /** Of the agent's: Markdown. */
  text: string;
  file?: AttachedFile;
}

/** What a visitor is shown of a session. */
export interface VisitorView {
  /** Changes with the rest. */
  version: string;
  agentId: string;
  /** Whether an answer is on its way. */
  isBusy: boolean;
  /** Oldest first. */
  entries: VisitorEntry[];
}

/** What a visitor knows already, and how long to wait for more. */
export interface VisitorWait {
  /** The version that is known. */
  since: string;
  waitMs: number;
}

/**
 * What a visitor is shown of a session: the visitor's own messages, and what was delivered to the visitor. Nothing else
 * that a session has is in it.
 */
export function readVisitorView(store: Store, { createdAt, agentId }: SessionRow, visitor: Target): VisitorView {
  const isTheirs = (target: Target | null | undefined) => target != null && isSameConversation(target, visitor);
  const open = openRuns(store).filter(({ state, target }) => !isSettled(state) && isTheirs(target));
  const waiting = open.flatMap(({ id, acceptedAt }) => {
    const { input, target } = findRun(store, id) ?? {};
    return input ? [{ id: target?.replyToId ?? id, at: acceptedAt, from: "visitor" as const, text: input.text }] : [];
  });
  const all = [...saidBy(visitor.conversationId, store), ...waiting, ...deliveredTo(visitor, store)];
  const entries = newest(all.sort((one, other) => one.at - other.at));
  const isBusy = open.some(({ state }) => state.status !== "waiting_approval") || isUnderWay(visitor, store);
  const version = [createdAt, entries.length, entries.at(-1)?.id ?? "", isBusy ? "busy" : "idle"].join(".");
  return { version, agentId, isBusy, entries };
}

/** The visitor's own messages, oldest first. */
function saidBy(visitorId: string, store: Store): VisitorEntry[] {
  const said: VisitorEntry[] = [];
  let searched = 0;
  for (const { message } of newestFirst(store, 0)) {
    if (++searched > MAX_SEARCHED || said.length === MAX_ENTRIES) break;
    if (message.role !== "user" || message.sender?.id !== visitorId || message.said?.messageId === undefined) continue;
    const { messageId: id, at } = message.said;
    said.push({ id, at, from: "visitor", text: message.text.slice(message.wordsAt) });
  }
  return said.reverse();
}

/** Whether something that was said to the visitor is not delivered yet. */
function isUnderWay({ conversationId }: Target, store: Store): boolean {
  const open = sql`${outbox.status} IN ('pending', 'sending')`;
  const row = store
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(open, isTo(conversationId)))
    .limit(1)
    .get();
  return row !== undefined;
}

function isTo(conversationId: string): SQL {
  return sql`CASE WHEN json_valid(${outbox.target}) THEN ${outbox.target} ->> '$.conversationId' END = ${conversationId}`;
}

/** What was delivered, in that order. */
function deliveredTo(visitor: Target, store: Store): VisitorEntry[] {
  return store
    .select()
    .from(outbox)
    .where(and(eq(outbox.status, "delivered"), isTo(visitor.conversationId)))
    .orderBy(desc(outbox.id))
    .limit(MAX_ENTRIES)
    .all()
    .reverse()
    .filter(({ target }) => target !== undefined && isSameConversation(target, visitor))
    .map(({ deliveryId, askedAt, text, source }) => ({
      ...{ id: deliveryId, at: askedAt, from: "agent" as const, text },
      ...(source?.kind === "file" && { file: source }),
    }));
}

function newest(entries: readonly VisitorEntry[]): VisitorEntry[] {
  let left = MAX_UNITS;
  const isIn = ({ text }: VisitorEntry) => {
    left -= text.length;
    return left >= 0;
  };
  const last = entries.slice(-MAX_ENTRIES);
  return last.slice(last.findLastIndex((entry) => !isIn(entry)) + 1);
}
