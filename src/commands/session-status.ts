import { asc, gte } from "drizzle-orm";
import { messagesTokens } from "../agent/context-size.ts";
import type { Agent } from "../config/agents.ts";
import type { SessionLocation } from "../config/session-schema.ts";
import { startOfDay } from "../lib/zone.ts";
import type { Model } from "../models/model.ts";
import { lookUpModel, type ModelLookup, sessionModel } from "../services/model-lookup.ts";
import { agentIn, type Services } from "../services/services.ts";
import { countCompactions } from "../session-store/compactions.ts";
import { readView } from "../session-store/conversation-view.ts";
import { readMessages } from "../session-store/message-pages.ts";
import { isBegun } from "../session-store/run.ts";
import { openRuns } from "../session-store/runs.ts";
import { messages } from "../session-store/schema.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import { type Preferences, sessionPreferences } from "../session-store/session-settings.ts";
import type { Store } from "../session-store/store.ts";
import { openSubagents } from "../session-store/subagent-rows.ts";
import { readTotals, type Totals } from "../session-store/totals.ts";
import type { TimeFormat } from "../turn/clock-text.ts";

/** The status of a session. Instants are milliseconds since the epoch. */
export interface SessionStatus {
  sessionKey: string;
  /** Where its object was created. */
  location: SessionLocation;
  /** When the conversation began. */
  since: number;
  /** The user's time zone and how times of day are written there. */
  clock: { zone: string; format: TimeFormat };
  /** `provider/model` of this session, and of the agent. */
  model: string;
  ownModel: string;
  /** Why that model cannot be used; undefined if it can. */
  modelProblem: string | undefined;
  preferences: Preferences;
  /** The current run; undefined if there is none. */
  active: { status: "running" | "waiting_approval"; forMs: number } | undefined;
  waiting: number;
  /** Tokens of the latest request and reply, and the model's window; undefined if the model cannot be used. */
  context: { tokens: number; window: number | undefined };
  /** Number of compactions in this conversation. */
  compactions: number;
  /** Running sub-agents. */
  subagents: number;
}

/** The status of a session. @throws IsopodError if the configuration is not valid */
export function readStatus(store: Store, owner: SessionRow, services: Services, now: number): SessionStatus {
  const rows = openRuns(store);
  const active = rows.map((row) => row.state).find(isBegun);
  const agent = agentIn(services, owner.agentId);
  const model = sessionModel(owner.settings, agent, services);
  const found = lookUpModel(() => services, model);
  return {
    sessionKey: owner.key,
    location: owner.location,
    since: conversationStart(store, owner),
    clock: userClock(agent),
    model,
    ownModel: services.modelRefOf(agent),
    modelProblem: found.kind === "none" ? found.problem : undefined,
    preferences: sessionPreferences(owner.settings, agent),
    active: active && { status: active.status, forMs: now - active.startedAt },
    waiting: rows.filter((row) => row.state.status === "queued").length,
    context: {
      tokens: contextTokens(store, owner, found.kind === "model" ? services.model(found.ref) : {}),
      window: contextWindow(found, agent),
    },
    compactions: countCompactions(store),
    subagents: openSubagents(store).filter(({ subagent }) => subagent.phase.status !== "ended").length,
  };
}

/** The totals of a session, by the user's day. @throws IsopodError if the configuration is not valid */
export function readSessionTotals(store: Store, owner: SessionRow, services: Services, now: number): Totals {
  const { zone } = userClock(agentIn(services, owner.agentId));
  return readTotals(store, owner.contextSeq, startOfDay(now, zone));
}

function userClock({ defaults }: Agent): SessionStatus["clock"] {
  return { zone: defaults.userTimezone ?? "UTC", format: defaults.timeFormat };
}

function contextWindow(found: ModelLookup, { defaults }: Agent): number | undefined {
  return found.kind === "model" ? Math.min(found.contextWindow, defaults.contextTokens) : undefined;
}

function conversationStart(store: Store, { contextSeq, createdAt }: SessionRow): number {
  const where = gte(messages.seq, contextSeq);
  const [first] = readMessages(store, { where, orderBy: asc(messages.seq), limit: 1, maxBytes: 0 }).rows;
  return first?.message.at ?? createdAt;
}

/** The provider's count of the latest reply if it is of this context; the rest is estimated. */
function contextTokens(store: Store, owner: SessionRow, model: Pick<Model, "input">): number {
  const { messages, countedFrom } = readView(store, owner);
  const at = messages.findLastIndex((message) => message.role === "assistant" && message.usage.input > 0);
  const reply = messages[at];
  if (at < countedFrom || reply?.role !== "assistant") return messagesTokens(messages, model);
  return reply.usage.input + messagesTokens(messages.slice(at), model);
}
