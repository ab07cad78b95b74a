import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * The index of all sessions, for listing them. The session's own object is the source of truth; this copy may lag
 * behind.
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
    /** Of a sub-agent: the key of its parent session. */
    spawnedBy: text("spawned_by"),
    /** Where its object was created: `caller`, a region or a jurisdiction. Null for a session of an older version. */
    location: text(),
    /** The conversation in which a person wrote last, and when; null where none did. */
    route: text({ mode: "json" }).$type<StoredRoute>(),
    routedAt: integer("routed_at"),
  },
  (table) => [
    index("sessions_by_agent").on(table.agentId, table.updatedAt),
    index("sessions_by_route").on(table.agentId, table.routedAt).where(sql`routed_at IS NOT NULL`),
  ],
);

/** A conversation of a channel, as heartbeats and jobs write to it. */
export interface StoredRoute {
  channel: string;
  accountId: string;
  kind: "direct" | "group" | "channel";
  conversationId: string;
  threadId?: string;
  peerId?: string;
  parentId?: string;
  spaceId?: string;
}

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

/** Sessions that are not in their first object, by every object that they have left. */
export const movedSessions = sqliteTable(
  "moved_sessions",
  {
    /** The name of the object: a digest. */
    object: text().primaryKey(),
    movedTo: text("moved_to").notNull(),
    /** Grows with each change, so that an isolate reads what is new to it. */
    revision: integer().notNull(),
  },
  (table) => [
    index("moved_sessions_by_revision").on(table.revision),
    index("moved_sessions_by_target").on(table.movedTo),
  ],
);

/** Tool calls that wait for approval; the row is deleted with the answer. */
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

/** The time zones that owners' browsers told, for agents whose configuration names none. */
export const browserZones = sqliteTable(
  "browser_zones",
  {
    agentId: text("agent_id").primaryKey(),
    /** An IANA zone. */
    zone: text().notNull(),
    toldAt: integer("told_at").notNull(),
  },
  (table) => [index("browser_zones_by_time").on(table.toldAt)],
);

/** Logged-in browsers, by the digest of their cookie. */
export const logins = sqliteTable("logins", {
  /** SHA-256 of the cookie's value, hex. */
  digest: text().primaryKey(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  scope: text().$type<"read" | "write" | "admin">().notNull().default("admin"),
  /** The token that it was made with; null for the one in the Worker's secrets. */
  tokenId: text("token_id"),
});

/** Access tokens besides the one in the Worker's secrets. */
export const tokens = sqliteTable(
  "tokens",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** SHA-256 of the token, hex. */
    digest: text().notNull(),
    scope: text().$type<"read" | "write" | "admin">().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    /** The day of its last use. */
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [uniqueIndex("tokens_by_digest").on(table.digest)],
);

/** Pairing requests and paired senders of channels. */
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
    /** Whether the approver made this person an owner. */
    owner: integer({ mode: "boolean" }).notNull(),
  },
  (table) => [index("pairings_by_code").on(table.code)],
);

/** Keys of model providers in cooldown after a refusal. */
export const cooldowns = sqliteTable("cooldowns", {
  /** A profile, `profile` with one `provider/model`, or the `provider/model` alone for a provider's own key. */
  profile: text().primaryKey(),
  /** Consecutive refusals. */
  failures: integer().notNull(),
  /** The kind of the last refusal. */
  kind: text().$type<"rate_limit" | "auth" | "billing">().notNull(),
  /** The end of the cooldown, in milliseconds since the epoch. */
  until: integer().notNull(),
});

/**
 * The audit trail: every change that a plugin makes to a prompt, model, call or message, and every command. Sizes and
 * digests, never contents.
 */
export const audit = sqliteTable(
  "audit",
  {
    /** Unique and stable over retries. */
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

/** Groups whose activation an owner has set, overriding the configuration. */
export const activations = sqliteTable("activations", {
  sessionKey: text("session_key").primaryKey(),
  mode: text().$type<"mention" | "always">().notNull(),
});

/** Boot hooks, which run once per deployed version and agent. */
export const boots = sqliteTable("boots", {
  /** `version:agentId`. */
  id: text().primaryKey(),
  /** When the last attempt began. */
  at: integer().notNull(),
  /** When it completed; null until then. */
  doneAt: integer("done_at"),
});

/**
 * Stored configurations, one row per change. The newest is in force; without any, the variable ISOPOD_CONFIG is, or the
 * defaults.
 */
export const configRevisions = sqliteTable("config_revisions", {
  /** 1, 2, 3 …; each change is based on the one before. */
  revision: integer().primaryKey(),
  /** The JSON as submitted: without defaults, and with secrets by name only. */
  document: text().notNull(),
  /** Who stored it: `api:token`, `api:page`, `gateway:<agent>/<session>`, `import` or `rollback`. */
  author: text().notNull(),
  note: text(),
  /** The paths that differ from the previous configuration, as a JSON list. */
  changed: text({ mode: "json" }).$type<string[]>().notNull(),
  createdAt: integer("created_at").notNull(),
});

/**
 * One row: how often skills were changed outside a conversation. Read with the newest configuration; a session whose
 * skill snapshot is older scans again.
 */
export const skillChanges = sqliteTable("skill_changes", {
  /** Always 1. */
  id: integer().primaryKey(),
  count: integer().notNull(),
});

/** The identity files of an agent as its owner accepted them. */
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

/**
 * What runs by the clock: one row for the heartbeat of an agent, `heartbeat:<agent>`, and one for each job, `job:<id>`.
 * A slot is one due time of a row. Instants are milliseconds since the epoch, in the time of the clock's events.
 */
export const scheduleEntries = sqliteTable(
  "schedule_entries",
  {
    id: text().primaryKey(),
    kind: text().$type<"heartbeat" | "job">().notNull(),
    agentId: text("agent_id").notNull(),
    /** Of a job: what it does, as JSON. */
    job: text({ mode: "json" }).$type<unknown>(),
    /** The next slot; null where there is none. */
    dueAt: integer("due_at"),
    /** When the slot may be claimed: at its time, or when the lease of an earlier claim ends. */
    readyAt: integer("ready_at"),
    /** Of a heartbeat: whether it was switched off by a command. */
    isOff: integer("is_off", { mode: "boolean" }).notNull().default(false),
    /** Of a heartbeat: the version of HEARTBEAT.md that holds nothing to do. */
    emptyEtag: text("empty_etag"),
    /** How many of its last runs failed, one after the other. */
    failures: integer().notNull().default(0),
    lastSlotAt: integer("last_slot_at"),
    lastStatus: text("last_status").$type<SlotStatus>(),
    /** Why the last slot was skipped, or what failed. */
    lastReason: text("last_reason"),
    lastRunId: text("last_run_id"),
    /** How many of its runs have ended, and their estimated cost, in millionths of a US dollar. */
    runs: integer().notNull().default(0),
    costMicros: integer("cost_micros").notNull().default(0),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    index("schedule_by_time").on(table.readyAt).where(sql`ready_at IS NOT NULL`),
    index("schedule_by_agent").on(table.agentId, table.kind),
  ],
);

/**
 * How a slot ended: its session has it (`dispatched`; of a heartbeat also that it had nothing to say), it was left out,
 * or the run said something (`ok`) or failed.
 */
export type SlotStatus = "dispatched" | "skipped" | "ok" | "error";

/** The runs of jobs, for their history. */
export const jobRuns = sqliteTable(
  "job_runs",
  {
    entryId: text("entry_id").notNull(),
    slotAt: integer("slot_at").notNull(),
    at: integer().notNull(),
    status: text().$type<SlotStatus>().notNull(),
    reason: text(),
    runId: text("run_id"),
    sessionKey: text("session_key"),
    endedAt: integer("ended_at"),
    /** Estimated cost in millionths of a US dollar; null where the model has no price. */
    costMicros: integer("cost_micros"),
  },
  (table) => [primaryKey({ columns: [table.entryId, table.slotAt] }), index("job_runs_by_run").on(table.runId)],
);

/** Texts that the next heartbeat of an agent brings along. */
export const wakeTexts = sqliteTable(
  "wake_texts",
  {
    id: text().primaryKey(),
    agentId: text("agent_id").notNull(),
    text: text().notNull(),
    at: integer().notNull(),
    /** Where words in it come from that are not the owner's. */
    labels: text({ mode: "json" }).$type<readonly string[]>(),
    /** The slot that took it along, in case that slot is repeated. */
    slotAt: integer("slot_at"),
  },
  (table) => [index("wake_texts_by_agent").on(table.agentId, table.at)],
);

/** Which configuration the rows of heartbeats are made from: one row. */
export const scheduleState = sqliteTable("schedule_state", {
  /** Always 1. */
  id: integer().primaryKey(),
  madeFrom: text("made_from").notNull(),
});

/** Queue messages that no consumer could handle, for the doctor and the schedule. */
export const deadLetters = sqliteTable("dead_letters", {
  id: text().primaryKey(),
  queue: text().notNull(),
  body: text().notNull(),
  at: integer().notNull(),
});

/** The servers of `mcp.servers`: what they offered when they were last asked, and what an owner has accepted of it. */
export const mcpServers = sqliteTable("mcp_servers", {
  /** Its name in the configuration. */
  name: text().primaryKey(),
  /** The address that the row is about: of another one nothing in it counts. */
  url: text().notNull(),
  /** What it offers, as JSON; null before it first answered. */
  listing: text({ mode: "json" }).$type<unknown>(),
  listedAt: integer("listed_at"),
  /** Why it could not be used when it was last asked, as JSON; null where it could. */
  failure: text({ mode: "json" }).$type<unknown>(),
  /** When it was last asked, with or without success. */
  askedAt: integer("asked_at").notNull(),
  /** The accepted tools by their names there, as JSON; null before any were. */
  accepted: text({ mode: "json" }).$type<unknown>(),
});

/** Sign-ins of owners at servers of `mcp.servers`. Instants are milliseconds since the epoch. */
export const mcpSignIns = sqliteTable("mcp_sign_ins", {
  /** The server's name in the configuration. */
  server: text().primaryKey(),
  /** The address that the sign-in is for: at another one it does not count. */
  url: text().notNull(),
  /** The tokens and the client that got them, encrypted under the data key; null once they are not valid. */
  sealed: text(),
  /** Why they are not valid; null while they are used, and once their owner has signed out. */
  lost: text(),
  /** Counts the tokens: a change that is based on older ones is not made. */
  version: integer().notNull(),
  /** Until when one caller alone may renew the tokens; 0 if none does. */
  renewingUntil: integer("renewing_until").notNull(),
});

/** The sign-in that an owner has begun last at each server. It is deleted when the owner comes back. */
export const mcpSignInAttempts = sqliteTable("mcp_sign_in_attempts", {
  server: text().primaryKey(),
  /** The address that it is for. */
  url: text().notNull(),
  /** Digest of the `state` that comes back. */
  state: text().notNull(),
  /** Digest of the login that has begun it, and has to end it. */
  login: text().notNull(),
  /** The verifier of PKCE, the client, and the address of the token endpoint, encrypted under the data key. */
  sealed: text().notNull(),
  /** Until when it can be ended. */
  expiresAt: integer("expires_at").notNull(),
});
