import { and, desc, gte, type SQL, sql } from "drizzle-orm";
import { log } from "../lib/log.ts";
import type { Message } from "../models/message.ts";
import { messages } from "./schema.ts";
import type { Store } from "./store.ts";

/** A message and its position. */
export interface MessageRow {
  seq: number;
  runId: string;
  message: Message;
  /** Size of its JSON in UTF-8. */
  bytes: number;
}

/** Which messages, in which order, and how many at most; a message larger than `maxBytes` is a page of its own. */
export interface PageRequest {
  where: SQL | undefined;
  orderBy: SQL;
  limit: number;
  maxBytes: number;
}

/** A page of messages. */
export interface MessagePage {
  /** Without unreadable ones. */
  rows: MessageRow[];
  /** Number of the last message that was read, where more follow. */
  moreAfter: number | undefined;
}

/**
 * Reads a page of a transcript, which may be larger than memory: sizes are read first. SQLite has the size of a text
 * without loading it.
 */
export function readMessages(store: Store, { where, orderBy, limit, maxBytes }: PageRequest): MessagePage {
  const bytes = sql<number>`octet_length(${messages.body})`;
  const sizes = store
    .select({ bytes })
    .from(messages)
    .where(where)
    .orderBy(orderBy)
    .limit(limit + 1)
    .all();
  const count = fitting(sizes, limit, maxBytes);
  const { seq, runId, body } = messages;
  const rows = store
    .select({ seq, runId, body, bytes })
    .from(messages)
    .where(where)
    .orderBy(orderBy)
    .limit(count)
    .all();
  return { rows: rows.flatMap(readable), moreAfter: count < sizes.length ? rows.at(-1)?.seq : undefined };
}

/** How many of the first rows, up to `limit`, have at most `maxBytes` together; at least one. */
export function fitting(sizes: readonly { bytes: number }[], limit: number, maxBytes: number): number {
  let left = maxBytes;
  const over = sizes.slice(0, limit).findIndex(({ bytes }) => {
    left -= bytes;
    return left < 0;
  });
  return over === -1 ? Math.min(sizes.length, limit) : Math.max(over, 1);
}

/** The number of the newest message with this id, not older than `fromSeq`; undefined where there is none. */
export function findMessageSeq(store: Store, id: string, fromSeq: number): number | undefined {
  const isIt = and(gte(messages.seq, fromSeq), sql`${messageField("$.id")} = ${id}`);
  const found = store.select({ seq: messages.seq }).from(messages).where(isIt).orderBy(desc(messages.seq)).limit(1);
  return found.get()?.seq;
}

/** A JSON field of messages in a condition; null where a message is not valid JSON, which would fail the query. */
export function messageField(path: `$.${string}`): SQL {
  return sql`CASE WHEN json_valid(${messages.body}) THEN ${messages.body} ->> ${path} END`;
}

function readable({ body, ...row }: Omit<MessageRow, "message"> & { body: Message | undefined }): MessageRow[] {
  if (body !== undefined) return [{ ...row, message: body }];
  log("error", "transcript.unreadable", { seq: row.seq, runId: row.runId });
  return [];
}
