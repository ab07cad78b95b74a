import { asc, count, gt, lt, min } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { agentIds } from "../config/agents.ts";
import { approvals, cooldowns, type sessions } from "../db/schema.ts";
import { listSessions } from "../session-store/session-index.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

const HOUR_MS = 3_600_000;
/** Most of a kind that is told. */
const MAX_LINES = 20;
/** Of how many sessions of an agent, the latest, the index is looked at. */
const MAX_SESSIONS = 100;

/** What waits for longer than it should: people's answers, keys that rest, and runs whose end the index has not heard of. */
export async function examineBacklog(patient: DiagnosticsContext): Promise<Check[]> {
  const found = await Promise.all([waitingApprovals(patient), restingKeys(patient), lateSessions(patient)]);
  const checks = found.flat();
  if (checks.length > 0) return checks;
  return [
    {
      id: "backlog.none",
      area: "backlog",
      status: "ok",
      message: "The lists in D1 answer, and nothing waits for long.",
    },
  ];
}

async function waitingApprovals({ env, now }: DiagnosticsContext): Promise<Check[]> {
  const [old] = await drizzle(env.DB)
    .select({ count: count(), since: min(approvals.requestedAt) })
    .from(approvals)
    .where(lt(approvals.requestedAt, now - HOUR_MS));
  if (old === undefined || old.count === 0) return [];
  return [
    {
      id: "backlog.approvals",
      area: "backlog",
      status: "warn",
      message: `${old.count} tool calls have waited for a person for over an hour, one since ${at(old.since ?? now)}.`,
      fix: "Answer them on the page, with POST /v1/approvals/:id, or with /approve.",
    },
  ];
}

const MEND = {
  auth: "Look whether the key is still good.",
  billing: "Look at the account: its credit is used up.",
  rate_limit: "Wait, or name another key in auth.profiles, or a model to fall back on.",
} as const;

async function restingKeys({ env, now }: DiagnosticsContext): Promise<Check[]> {
  const resting = await drizzle(env.DB)
    .select()
    .from(cooldowns)
    .where(gt(cooldowns.until, now))
    .orderBy(asc(cooldowns.profile))
    .limit(MAX_LINES);
  return resting.map(({ profile, kind, until, failures }) => ({
    id: `backlog.rest.${profile}`,
    area: "backlog",
    status: "warn",
    message: `${profile} rests until ${at(until)}, after ${failures} refusals (${kind}).`,
    fix: MEND[kind],
  }));
}

/** Sessions whose last run should have ended long ago, by what the index says. */
async function lateSessions({ env, services, now }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const { config } = services;
  const limitMs = Math.max(config.agents.defaults.timeoutSeconds * 1000, HOUR_MS) * 2;
  const lists = await Promise.all(
    agentIds(config)
      .slice(0, MAX_LINES)
      .map((agentId) => listSessions(env.DB, { agentId, since: 0, limit: MAX_SESSIONS })),
  );
  const late = lists.flat().filter(({ lastStatus, updatedAt }) => isOpen(lastStatus) && updatedAt < now - limitMs);
  return late.slice(0, MAX_LINES).map(({ key, lastStatus, updatedAt, lastRunId }) => ({
    id: `backlog.session.${key}`,
    area: "backlog",
    status: "warn",
    message: `The last run of ${key} has been '${lastStatus}' in the index since ${at(updatedAt)}.`,
    fix: `Look at it (GET /v1/runs/${lastRunId}); if it still is, stop it with POST /v1/runs/${lastRunId}/abort.`,
  }));
}

function isOpen(status: (typeof sessions.$inferSelect)["lastStatus"]): boolean {
  return status === "queued" || status === "running";
}

function at(instant: number): string {
  return new Date(instant).toISOString();
}
