import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EventBody } from "../agent/events.ts";
import type { Delivery, Target } from "../channels/channel.ts";
import type { Message } from "../models/message.ts";
import type { QueuePolicy } from "./queue.ts";
import type { RunInput, RunState } from "./run.ts";

/** An event as it is stored: its run is in the row. */
export type StoredEvent = { seq: number; ts: number } & EventBody;

/** What a session has of its own, over the configuration. */
export interface SessionSettings {
  queue?: Partial<QueuePolicy>;
  /** Tools that a person has allowed for good in this session. */
  allowedTools?: string[];
}

/** One row: whose session this is, and who may write to it. */
export const session = sqliteTable("session", {
  /** Always 1. */
  id: integer().primaryKey(),
  key: text().notNull(),
  agentId: text("agent_id").notNull(),
  /** Changes when the conversation is begun anew; the key does not. */
  sessionId: text("session_id").notNull(),
  createdAt: integer("created_at").notNull(),
  /** Grows with every incarnation of the object that writes; an older one can no longer commit. */
  epoch: integer().notNull(),
  /** Numbers below this may have been given out; the next incarnation begins here. */
  reservedSeq: integer("reserved_seq").notNull(),
  /** First number of the current conversation: what came before is history that no model sees. */
  contextSeq: integer("context_seq").notNull(),
  /** What its commands and decisions have set. */
  settings: text({ mode: "json" }).$type<SessionSettings>().notNull(),
});

/** One row a run. `input` is emptied when the run starts: from then on the transcript has it. */
export const runs = sqliteTable(
  "runs",
  {
    /** `run_…`: sorts by when it was accepted. */
    id: text().primaryKey(),
    idempotencyKey: text("idempotency_key").unique(),
    /** Whether something is left to do for it: to run it, or to tell the index of all runs how it ended. */
    open: integer({ mode: "boolean" }).notNull(),
    state: text({ mode: "json" }).$type<RunState>().notNull(),
    input: text({ mode: "json" }).$type<RunInput>(),
    target: text({ mode: "json" }).$type<Target>(),
    /** Who talks where, with which rights; see `talkOf`. */
    talk: text().notNull(),
    acceptedAt: integer("accepted_at").notNull(),
  },
  // Partial: waking up reads what is open, not all that ever ran.
  (table) => [index("runs_open").on(table.id).where(sql`${table.open} = 1`)],
);

/** The transcript. The number of a message is also the number of the event that announced it. */
export const messages = sqliteTable("messages", {
  seq: integer().primaryKey(),
  runId: text("run_id").notNull(),
  body: text({ mode: "json" }).$type<Message>().notNull(),
});

/** Events that no message stands for; several of one moment share a row. */
export const events = sqliteTable("events", {
  /** Number of the last one in the row. */
  seq: integer().primaryKey(),
  runId: text("run_id").notNull(),
  body: text({ mode: "json" }).$type<StoredEvent[]>().notNull(),
});

/** Parts of replies on their way to a channel. */
export const outbox = sqliteTable(
  "outbox",
  {
    /** Order of sending. */
    id: integer().primaryKey(),
    deliveryId: text("delivery_id").notNull(),
    runId: text("run_id").notNull(),
    target: text({ mode: "json" }).$type<Target>().notNull(),
    /** In the channel's markup. */
    text: text().notNull(),
    status: text().$type<DeliveryStatus>().notNull(),
    attempts: integer().notNull(),
    /** When to try next, in milliseconds since the epoch. */
    dueAt: integer("due_at").notNull(),
    /** The outcome of the last attempt. */
    detail: text({ mode: "json" }).$type<Delivery>(),
  },
  (table) => [index("outbox_open").on(table.id).where(sql`${table.status} IN ('pending', 'sending')`)],
);

/** `unsure`: it was sent and nobody knows whether it arrived; only a person may send it again. */
export type DeliveryStatus = "pending" | "sending" | "delivered" | "failed" | "unsure";
