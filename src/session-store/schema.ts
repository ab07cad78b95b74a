import { sql } from "drizzle-orm";
import { customType, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { SessionLocation } from "../config/session-schema.ts";
import {
  isAuditEntry,
  isCompaction,
  isDelivery,
  isDeliverySource,
  isMessage,
  isOutline,
  isProcess,
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

/** One row: the session of this object, and the incarnation that may write. */
export const session = sqliteTable("session", {
  /** Always 1. */
  id: integer().primaryKey(),
  key: text().notNull(),
  agentId: text("agent_id").notNull(),
  /** Changes with each new conversation; the key does not. */
  sessionId: text("session_id").notNull(),
  createdAt: integer("created_at").notNull(),
  /** Grows with each incarnation of the object that writes; an older one can no longer commit. */
  epoch: integer().notNull(),
  /** Numbers below this may be in use; the next incarnation begins here. */
  reservedSeq: integer("reserved_seq").notNull(),
  /** First number of the current conversation: models do not see what is older. */
  contextSeq: integer("context_seq").notNull(),
  /** Settings made by commands and decisions. */
  settings: json("settings", isSettings).notNull(),
  /** Set when the session is being deleted: from then on it does not exist for callers, and the rest is removed. */
  deleting: integer({ mode: "boolean" }).notNull().default(false),
  /** Events up to this number may have been deleted; messages are kept. */
  oldestCursor: integer("oldest_cursor").notNull().default(0),
  /** When retention last ran, in milliseconds since the epoch. */
  tidiedAt: integer("tidied_at").notNull().default(0),
  /** When a person last wrote; kept only where `session.reset` resets conversations by time. */
  activeAt: integer("active_at").notNull().default(0),
  /** Tool results before this number are shortened for the model. */
  prunedSeq: integer("pruned_seq").notNull().default(0),
  /** Up to this number the model saw other messages before each one than it sees now. */
  viewSeq: integer("view_seq").notNull().default(0),
  /** Where the last memory flush began. */
  flushedSeq: integer("flushed_seq").notNull().default(0),
  /** Where this object was created: near its first caller, in a region or within a jurisdiction. */
  location: text().$type<SessionLocation>().notNull().default("caller"),
});

/** One row for each run. `input` is emptied when the run starts: from then on the transcript has it. */
export const runs = sqliteTable(
  "runs",
  {
    /** `run_…`: sorts by when it was accepted. */
    id: text().primaryKey(),
    idempotencyKey: text("idempotency_key").unique(),
    /** Digest of the request under the key: another request under the same key is a conflict. */
    inputDigest: text("input_digest"),
    /** Whether something is left to do: to run it, or to copy its end to the index of all runs. */
    open: integer({ mode: "boolean" }).notNull(),
    state: json("state", isRunState).notNull(),
    input: json("input", isRunInput),
    target: json("target", isTarget),
    /** Conversation and rights; see `mergeKeyOf`. */
    mergeKey: text("merge_key").notNull(),
    acceptedAt: integer("accepted_at").notNull(),
    /** No event of it has a smaller number, so that its events are found without a full scan. */
    firstSeq: integer("first_seq").notNull().default(0),
  },
  // Partial, so that waking up reads open runs only. Entries of equal value in an index are in the order of insertion.
  // SQLite uses it only where a query says `open = 1` literally, not with a parameter.
  (table) => [index("runs_unfinished").on(table.open).where(sql`${table.open} = 1`)],
);

/** The transcript. The number of a message is also the number of its event. */
export const messages = sqliteTable("messages", {
  seq: integer().primaryKey(),
  runId: text("run_id").notNull(),
  body: json("body", isMessage).notNull(),
});

/** Events that no message represents; several of one instant share a row. */
export const events = sqliteTable("events", {
  /** Number of the last event in the row. */
  seq: integer().primaryKey(),
  runId: text("run_id").notNull(),
  body: json("body", isStoredEvents).notNull(),
});

/** Summaries that replace older messages. The newest one that belongs to the current conversation applies. */
export const compactions = sqliteTable("compactions", {
  /** Number of the event that announced it. */
  seq: integer().primaryKey(),
  runId: text("run_id").notNull(),
  /** The oldest message that is not summarized. */
  keptSeq: integer("kept_seq").notNull(),
  body: json("body", isCompaction).notNull(),
});

/**
 * The transcript as pages of lines for the memory index, each page of one conversation. New text only adds lines, and
 * deleted text leaves empty lines, so that a line keeps its number.
 */
export const memoryPages = sqliteTable(
  "memory_pages",
  {
    /** Number of its first message. */
    fromSeq: integer("from_seq").primaryKey(),
    /** Number of the last message that was read for it. */
    lastSeq: integer("last_seq").notNull(),
    /** Messages before this number were deleted; beyond `lastSeq` where the page is empty. */
    keptSeq: integer("kept_seq").notNull(),
    /** The session id of its conversation. */
    conversation: text().notNull(),
    /** 1, 2, 3 … within its conversation. */
    page: integer().notNull(),
    lines: integer().notNull(),
    /** Size of its lines in bytes of UTF-8. */
    size: integer().notNull(),
    /** Bytes of JSON that are read for it. */
    weight: integer().notNull(),
    /** Time of its last message. */
    lastMessageAt: integer("said_at").notNull(),
    /** Whether it has changed since it was indexed. */
    stale: integer("untold", { mode: "boolean" }).notNull(),
  },
  // SQLite uses it only where a query says `untold = 1` literally.
  (table) => [index("memory_pages_untold").on(table.stale).where(sql`${table.stale} = 1`)],
);

/** What models were sent besides conversations: layers of system prompts, and tool lists. Each text is stored once. */
export const prompts = sqliteTable("prompts", {
  /** SHA-256 of the text, in hex. The state of a run refers to it. */
  hash: text().primaryKey(),
  /** Null where it is too large for a row. */
  text: text(),
  /** Then: the id of the spilled text. */
  spill: text(),
  /** Its sections and files. */
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
    /** Whether its end, or the answer to a question, is still pending. */
    open: integer({ mode: "boolean" }).notNull(),
    body: json("body", isSubagent).notNull(),
  },
  (table) => [index("subagents_open").on(table.open).where(sql`${table.open} = 1`)],
);

/**
 * Reports that this session, a sub-agent, has yet to deliver to its parent. A row is deleted when the parent has
 * acknowledged it.
 */
export const announcements = sqliteTable("announcements", {
  /** The run that the report is about. */
  runId: text("run_id").primaryKey(),
  body: json("body", isReport).notNull(),
  attempts: integer().notNull(),
  /** When to deliver it, in milliseconds since the epoch; null while it is held for sub-agents of its own. */
  dueAt: integer("due_at"),
});

/** Commands in the background, those that have ended lately among them. */
export const processes = sqliteTable(
  "processes",
  {
    /** 1, 2, 3 … */
    id: integer().primaryKey(),
    /** The run that started it. */
    runId: text("run_id").notNull(),
    /** Whether it has not ended, as far as is known. */
    open: integer({ mode: "boolean" }).notNull(),
    body: json("body", isProcess).notNull(),
  },
  (table) => [index("processes_open").on(table.open).where(sql`${table.open} = 1`)],
);

/** One row: what the snapshot in `skill_parts` was taken of. */
export const skillScan = sqliteTable("skill_scan", {
  /** Always 1. */
  id: integer().primaryKey(),
  body: json("body", isScanHead).notNull(),
});

/** The skills that were found for this session, in as few rows as possible. */
export const skillParts = sqliteTable("skill_parts", {
  /** 0, 1, 2 … */
  part: integer().primaryKey(),
  body: json("body", isScanPart).notNull(),
});

/** Audit lines that are not in D1 yet. */
export const auditPending = sqliteTable("audit_pending", {
  id: integer().primaryKey(),
  body: json("body", isAuditEntry).notNull(),
});

/** Parts of replies to be sent to channels. */
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
    /** The content, where the run reads it again later; absent for a last reply, which the transcript has. */
    source: json("source", isDeliverySource),
    /** When somebody asked for it to be sent, in milliseconds since the epoch. */
    askedAt: integer("asked_at").notNull().default(0),
    /** Whether its conversation was told that it did not arrive, or may not have. */
    told: integer({ mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    // SQLite uses it only where a query has the same list literally.
    index("outbox_open").on(table.id).where(sql`${table.status} IN ('pending', 'sending')`),
    index("outbox_by_run").on(table.runId),
    index("outbox_lost").on(table.id).where(sql`${table.status} IN ('failed', 'unsure')`),
  ],
);

/** `unsure`: it was sent and may have arrived; only a person may send it again. */
export type DeliveryStatus = "pending" | "sending" | "delivered" | "failed" | "unsure";

/**
 * A column of JSON. Invalid JSON, or JSON of another shape, is read as undefined: one damaged row must not stop its
 * session, and every reader decides what to do instead.
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
