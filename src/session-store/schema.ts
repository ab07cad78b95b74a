import { sql } from "drizzle-orm";
import { customType, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import {
  isAuditEntry,
  isCompaction,
  isDelivery,
  isDeliverySource,
  isMessage,
  isOutline,
  isReport,
  isRunInput,
  isRunState,
  isScanHead,
  isScanPart,
  isSettings,
  isStoredEvents,
  isSubagent,
  isTarget,
} from "./stored-shapes.ts";

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
  settings: json("settings", isSettings).notNull(),
  /** Set once it is to be deleted: from then on there is no such session, and what is left of it goes. */
  deleting: integer({ mode: "boolean" }).notNull().default(false),
  /** Events up to this number may have been cleared away; messages are kept. */
  oldestCursor: integer("oldest_cursor").notNull().default(0),
  /** When what is old was last cleared away, in milliseconds since the epoch. */
  tidiedAt: integer("tidied_at").notNull().default(0),
  /** When somebody last said something; kept only where `session.reset` begins conversations anew by time. */
  activeAt: integer("active_at").notNull().default(0),
  /** Tool results before this number are shortened in what a model sees. */
  prunedSeq: integer("pruned_seq").notNull().default(0),
  /** Up to this number a model saw other messages before each than it sees now. */
  viewSeq: integer("view_seq").notNull().default(0),
  /** Where the last memory flush began. */
  flushedSeq: integer("flushed_seq").notNull().default(0),
});

/** One row a run. `input` is emptied when the run starts: from then on the transcript has it. */
export const runs = sqliteTable(
  "runs",
  {
    /** `run_…`: sorts by when it was accepted. */
    id: text().primaryKey(),
    idempotencyKey: text("idempotency_key").unique(),
    /** What was asked under the key, as a digest: under the same key nothing else can be asked. */
    inputDigest: text("input_digest"),
    /** Whether something is left to do for it: to run it, or to tell the index of all runs how it ended. */
    open: integer({ mode: "boolean" }).notNull(),
    state: json("state", isRunState).notNull(),
    input: json("input", isRunInput),
    target: json("target", isTarget),
    /** Who talks where, with which rights; see `mergeKeyOf`. */
    mergeKey: text("merge_key").notNull(),
    acceptedAt: integer("accepted_at").notNull(),
    /** No event of it has a smaller number, so that its events are found without reading all others. */
    firstSeq: integer("first_seq").notNull().default(0),
  },
  // Partial: waking up reads what is open, not all that ever ran. In one index entries of equal value are in the order
  // of insertion. SQLite takes it only where a query says `open = 1` literally, not with a parameter.
  (table) => [index("runs_unfinished").on(table.open).where(sql`${table.open} = 1`)],
);

/** The transcript. The number of a message is also the number of the event that announced it. */
export const messages = sqliteTable("messages", {
  seq: integer().primaryKey(),
  runId: text("run_id").notNull(),
  body: json("body", isMessage).notNull(),
});

/** Events that no message stands for; several of one moment share a row. */
export const events = sqliteTable("events", {
  /** Number of the last one in the row. */
  seq: integer().primaryKey(),
  runId: text("run_id").notNull(),
  body: json("body", isStoredEvents).notNull(),
});

/** Summaries that stand for what came before them. The newest that is not older than the conversation holds. */
export const compactions = sqliteTable("compactions", {
  /** Number of the event that announced it. */
  seq: integer().primaryKey(),
  runId: text("run_id").notNull(),
  /** The oldest message that stays as it is: what came before is in the summary. */
  keptSeq: integer("kept_seq").notNull(),
  body: json("body", isCompaction).notNull(),
});

/**
 * The transcript as memory reads it, as far as memory has asked: pages, each of one conversation. What is said later is on
 * later lines, and what is cleared away leaves empty ones, so that a line keeps its number.
 */
export const memoryPages = sqliteTable(
  "memory_pages",
  {
    /** Number of its first message. */
    fromSeq: integer("from_seq").primaryKey(),
    /** Number of the last message that was looked at for it. */
    lastSeq: integer("last_seq").notNull(),
    /** What was before this number is cleared away; beyond `lastSeq` where nothing is left. */
    keptSeq: integer("kept_seq").notNull(),
    /** The session id that its conversation has. */
    conversation: text().notNull(),
    /** 1, 2, 3 … in its conversation. */
    page: integer().notNull(),
    lines: integer().notNull(),
    /** Of its lines, in bytes of UTF-8. */
    size: integer().notNull(),
    /** Bytes of JSON that are read for it. */
    weight: integer().notNull(),
    /** When the last of it was said. */
    lastMessageAt: integer("said_at").notNull(),
    /** Whether it has changed since memory was told. */
    stale: integer("untold", { mode: "boolean" }).notNull(),
  },
  // SQLite takes it only where a query says `untold = 1` literally.
  (table) => [index("memory_pages_untold").on(table.stale).where(sql`${table.stale} = 1`)],
);

/** What models were sent besides conversations: layers of system prompts, and lists of tools. Each text is kept once. */
export const prompts = sqliteTable("prompts", {
  /** SHA-256 of the text, in hex. Runs name it in their state. */
  hash: text().primaryKey(),
  /** Null where it is too large for a row. */
  text: text(),
  /** Where it is then: the id of a large result. */
  spill: text(),
  /** What it is made of. */
  outline: json("outline", isOutline).notNull(),
  /** In milliseconds since the epoch. */
  createdAt: integer("created_at").notNull(),
});

/** Sub-agents that this session has started. */
export const subagents = sqliteTable(
  "subagents",
  {
    /** The session key of the sub-agent. */
    key: text().primaryKey(),
    /** The run that started it. */
    runId: text("run_id").notNull(),
    /** Whether its end is still to come, or to be asked for. */
    open: integer({ mode: "boolean" }).notNull(),
    body: json("body", isSubagent).notNull(),
  },
  (table) => [index("subagents_open").on(table.open).where(sql`${table.open} = 1`)],
);

/** What this session, being a sub-agent, has to tell who started it. A row goes when it was heard. */
export const announcements = sqliteTable("announcements", {
  /** The run whose end it is. */
  runId: text("run_id").primaryKey(),
  body: json("body", isReport).notNull(),
  attempts: integer().notNull(),
  /** When to tell it, in milliseconds since the epoch; null while sub-agents of its own are at work for it. */
  dueAt: integer("due_at"),
});

/** One row: of what `skill_parts` is the snapshot. */
export const skillScan = sqliteTable("skill_scan", {
  /** Always 1. */
  id: integer().primaryKey(),
  body: json("body", isScanHead).notNull(),
});

/** The skills that were found for this session, in as few rows as they fit into. */
export const skillParts = sqliteTable("skill_parts", {
  /** 0, 1, 2 … */
  part: integer().primaryKey(),
  body: json("body", isScanPart).notNull(),
});

/** What is to be told to the audit trail and has not been yet. */
export const auditPending = sqliteTable("audit_pending", {
  id: integer().primaryKey(),
  body: json("body", isAuditEntry).notNull(),
});

/** Parts of replies on their way to a channel. */
export const outbox = sqliteTable(
  "outbox",
  {
    /** Order of sending. */
    id: integer().primaryKey(),
    deliveryId: text("delivery_id").notNull(),
    runId: text("run_id").notNull(),
    target: json("target", isTarget).notNull(),
    /** In the channel's markup; of a draft, Markdown. */
    text: text().notNull(),
    /** Whether message hooks have yet to process the text, and the channel has yet to format it. */
    draft: integer({ mode: "boolean" }).notNull().default(false),
    status: text().$type<DeliveryStatus>().notNull(),
    attempts: integer().notNull(),
    /** When to try next, in milliseconds since the epoch. */
    dueAt: integer("due_at").notNull(),
    /** The outcome of the last attempt. */
    detail: json("detail", isDelivery),
    /** What it says, where its run has to know that later; absent for a last reply, of which the transcript knows. */
    source: json("source", isDeliverySource),
  },
  (table) => [
    // SQLite takes it only where a query says the same list literally.
    index("outbox_open").on(table.id).where(sql`${table.status} IN ('pending', 'sending')`),
    index("outbox_by_run").on(table.runId),
  ],
);

/** `unsure`: it was sent and nobody knows whether it arrived; only a person may send it again. */
export type DeliveryStatus = "pending" | "sending" | "delivered" | "failed" | "unsure";

/**
 * A column of JSON. What is no JSON, or not of the shape, is read as undefined: one damaged row must not stop the
 * session that it is in, and who reads it has to say what is done instead.
 */
export function json<Value>(name: string, isValue: (value: unknown) => value is Value) {
  return customType<{ data: Value | undefined; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => JSON.stringify(value),
    fromDriver(text) {
      const value = parsed(text);
      return isValue(value) ? value : undefined;
    },
  })(name);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
