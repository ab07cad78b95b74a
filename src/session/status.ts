import { and, count, desc, gte, isNull, sql } from "drizzle-orm";
import type { Agent } from "../config/agents.ts";
import { startOfDay } from "../lib/zone.ts";
import type { TimeFormat } from "./clock-text.ts";
import { fieldOf, readMessages } from "./message-pages.ts";
import { lookUpModel, type ModelLookup, sessionModel } from "./model-choice.ts";
import { type Preferences, preferencesOf } from "./preferences.ts";
import { isBegun } from "./run.ts";
import { openRuns } from "./runs.ts";
import { compactions, messages } from "./schema.ts";
import type { SessionRow } from "./session-row.ts";
import type { Store } from "./store.ts";
import { type Totals, totalsOf } from "./totals.ts";
import { agentIn, type Wiring } from "./wiring.ts";

/** What a session is and does. Instants are milliseconds since the epoch. */
export interface SessionStatus {
  sessionKey: string;
  /** When the conversation began. */
  since: number;
  /** The user's time zone and how times of day are written there. */
  clock: { zone: string; format: TimeFormat };
  /** `provider/model` that answers here, and that which the agent has of its own. */
  model: string;
  ownModel: string;
  /** Why that model cannot be asked, where it cannot. */
  modelProblem: string | undefined;
  preferences: Preferences;
  /** What the run at work is doing; undefined where none is. */
  active: { status: "running" | "waiting_approval"; forMs: number } | undefined;
  waiting: number;
  /** Tokens that the model was shown and said last, and how many it takes; undefined where it cannot be asked. */
  context: { tokens: number; window: number | undefined };
  /** Summaries that were made of this conversation. */
  compactions: number;
}

/** What a session is and does. @throws IsopodError where the configuration is not valid */
export function statusOf(store: Store, owner: SessionRow, wiring: Wiring, now: number): SessionStatus {
  const rows = openRuns(store);
  const active = rows.map((row) => row.state).find(isBegun);
  const agent = agentIn(wiring, owner.agentId);
  const model = sessionModel(owner.settings, agent, wiring);
  const found = lookUpModel(() => wiring, model);
  return {
    sessionKey: owner.key,
    since: beginningOf(store, owner),
    clock: clockOf(agent),
    model,
    ownModel: wiring.modelRefOf(agent),
    modelProblem: found.kind === "none" ? found.problem : undefined,
    preferences: preferencesOf(owner.settings, agent),
    active: active && { status: active.status, forMs: now - active.startedAt },
    waiting: rows.filter((row) => row.state.status === "queued").length,
    context: { tokens: contextTokens(store, owner.contextSeq), window: windowOf(found, agent) },
    compactions: compactionsSince(store, owner.contextSeq),
  };
}

/** What a session came to, with the user's day. @throws IsopodError where the configuration is not valid */
export function totalsIn(store: Store, owner: SessionRow, wiring: Wiring, now: number): Totals {
  const { zone } = clockOf(agentIn(wiring, owner.agentId));
  return totalsOf(store, owner.contextSeq, startOfDay(now, zone));
}

function clockOf({ defaults }: Agent): SessionStatus["clock"] {
  return { zone: defaults.userTimezone ?? "UTC", format: defaults.timeFormat };
}

function windowOf(found: ModelLookup, { defaults }: Agent): number | undefined {
  return found.kind === "model" ? Math.min(found.contextWindow, defaults.contextTokens) : undefined;
}

function beginningOf(store: Store, { contextSeq, createdAt }: SessionRow): number {
  const where = gte(messages.seq, contextSeq);
  const [first] = readMessages(store, { where, orderBy: sql`${messages.seq}`, limit: 1, maxBytes: 0 }).rows;
  return first?.message.at ?? createdAt;
}

/** By the last reply's own count, or by the summary that has come since. */
function contextTokens(store: Store, contextSeq: number): number {
  const isReply = sql`${fieldOf("$.role")} = 'assistant' AND ${fieldOf("$.usage.input")} > 0`;
  const where = and(gte(messages.seq, contextSeq), isReply, isNull(fieldOf("$.aside")));
  const [reply] = readMessages(store, { where, orderBy: desc(messages.seq), limit: 1, maxBytes: 0 }).rows;
  const since = gte(compactions.seq, Math.max(contextSeq, reply?.seq ?? 0));
  const summary = store.select().from(compactions).where(since).orderBy(desc(compactions.seq)).limit(1).get();
  if (summary?.body !== undefined) return summary.body.tokensAfter;
  return reply?.message.role === "assistant" ? reply.message.usage.input + reply.message.usage.output : 0;
}

function compactionsSince(store: Store, contextSeq: number): number {
  const made = store.select({ made: count() }).from(compactions).where(gte(compactions.seq, contextSeq)).get();
  return made?.made ?? 0;
}
