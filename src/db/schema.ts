import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The index of all sessions, for listing them. A session's own object is the truth; this is written after the fact
 * and may be a moment behind.
 */
export const sessions = sqliteTable(
  "sessions",
  {
    key: text().primaryKey(),
    agentId: text("agent_id").notNull(),
    sessionId: text("session_id").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    lastRunId: text("last_run_id").notNull(),
    lastStatus: text("last_status").notNull(),
    /** Of a sub-agent: the session that started it. */
    spawnedBy: text("spawned_by"),
  },
  (table) => [index("sessions_by_agent").on(table.agentId, table.updatedAt)],
);

/** The index of all runs, for listing them; written together with their session's row. */
export const runs = sqliteTable(
  "runs",
  {
    id: text().primaryKey(),
    sessionKey: text("session_key").notNull(),
    agentId: text("agent_id").notNull(),
    status: text().notNull(),
    model: text(),
    errorCode: text("error_code"),
    acceptedAt: integer("accepted_at").notNull(),
    startedAt: integer("started_at"),
    endedAt: integer("ended_at"),
    inputTokens: integer("input_tokens").notNull(),
    outputTokens: integer("output_tokens").notNull(),
    /** Estimated cost in millionths of a US dollar; null where the model has no price. */
    costMicros: integer("cost_micros"),
  },
  (table) => [index("runs_by_session").on(table.sessionKey, table.acceptedAt)],
);

/** The index of tool calls that wait for a person's word; a row goes when the word is there. */
export const approvals = sqliteTable(
  "approvals",
  {
    id: text().primaryKey(),
    runId: text("run_id").notNull(),
    sessionKey: text("session_key").notNull(),
    agentId: text("agent_id").notNull(),
    tool: text().notNull(),
    question: text().notNull(),
    requestedAt: integer("requested_at").notNull(),
  },
  (table) => [index("approvals_by_run").on(table.runId)],
);

/** Browsers that are logged in: the cookie's digest, never the cookie. */
export const logins = sqliteTable("logins", {
  /** SHA-256 of the cookie's value, hex. */
  digest: text().primaryKey(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

/** People whom a channel asked to be let in, and those who were. */
export const pairings = sqliteTable(
  "pairings",
  {
    /** `channel:account:sender`. */
    id: text().primaryKey(),
    channelId: text("channel_id").notNull(),
    accountId: text("account_id").notNull(),
    code: text().notNull(),
    senderName: text("sender_name"),
    requestedAt: integer("requested_at").notNull(),
    approvedAt: integer("approved_at"),
    /** Whether who approved it said that this person is an owner. */
    owner: integer({ mode: "boolean" }).notNull(),
  },
  (table) => [index("pairings_by_code").on(table.code)],
);

/** Keys of model providers that rest after a refusal. A key that is not here is well. */
export const cooldowns = sqliteTable("cooldowns", {
  /** A profile, or a profile and the one `provider/model` that rests with it; that alone for a provider's own key. */
  profile: text().primaryKey(),
  /** Refusals in a row. */
  failures: integer().notNull(),
  /** The last one. */
  kind: text().$type<"rate_limit" | "auth" | "billing">().notNull(),
  /** Until when it rests, in milliseconds since the epoch. */
  until: integer().notNull(),
});

/** Who changed what: every change that a plugin makes to a prompt or a model, and every command. Never a content. */
export const audit = sqliteTable(
  "audit",
  {
    /** Unique, and the same when it is told again. */
    id: text().primaryKey(),
    at: integer().notNull(),
    kind: text().notNull(),
    agentId: text("agent_id").notNull(),
    sessionKey: text("session_key").notNull(),
    runId: text("run_id"),
    by: text().notNull(),
    subject: text().notNull(),
    bytesBefore: integer("bytes_before"),
    bytesAfter: integer("bytes_after"),
    hash: text(),
    detail: text(),
  },
  (table) => [
    index("audit_by_agent").on(table.agentId, table.at),
    index("audit_by_kind").on(table.agentId, table.kind, table.at),
  ],
);

/** Groups in which an owner has set when the agent listens, against the configuration. */
export const activations = sqliteTable("activations", {
  sessionKey: text("session_key").primaryKey(),
  mode: text().$type<"mention" | "always">().notNull(),
});

/** What is done once for a deployed version and an agent. */
export const boots = sqliteTable("boots", {
  /** `version:agentId`. */
  id: text().primaryKey(),
  /** When somebody last set about it. */
  at: integer().notNull(),
  /** When it was done; null where nobody has come to its end yet. */
  doneAt: integer("done_at"),
});

/**
 * The configuration as it was stored, one row a change. The newest one is in force; where there is none, the variable
 * ISOPOD_CONFIG is, or the defaults.
 */
export const configRevisions = sqliteTable("config_revisions", {
  /** 1, 2, 3 …; the one that a change was made from is the one before. */
  revision: integer().primaryKey(),
  /** JSON as it was given: without defaults, and with secrets by name only. */
  document: text().notNull(),
  /** Who stored it: `api:token`, `api:page`, `gateway:<agent>/<session>`, `import` or `rollback`. */
  author: text().notNull(),
  note: text(),
  /** The paths that differ from what was in force before, as a list in JSON. */
  changed: text({ mode: "json" }).$type<string[]>().notNull(),
  createdAt: integer("created_at").notNull(),
});

/**
 * One row: how often skills were changed from outside of a conversation. It is read with the newest configuration, and a
 * session that has looked before the last change looks again.
 */
export const skillChanges = sqliteTable("skill_changes", {
  /** Always 1. */
  id: integer().primaryKey(),
  count: integer().notNull(),
});

/** The files that tell an agent who it is, as its owner has accepted them. */
export const acceptedFiles = sqliteTable(
  "accepted_files",
  {
    agentId: text("agent_id").notNull(),
    path: text().notNull(),
    etag: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.path] })],
);
