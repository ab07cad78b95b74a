import { and, asc, count, eq, gt, inArray, lt, max, min } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { allScopes, capText, readBudgets, scopeText } from "../budgets/budget-report.ts";
import { agentIds } from "../config/agents.ts";
import { approvals, audit, cooldowns, deadLetters, type sessions } from "../db/schema.ts";
import { listSessions } from "../session-store/session-index.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

const HOUR_MS = 3_600_000;
/** Most checks of one kind. */
const MAX_LINES = 20;
/** Most sessions of an agent that are checked; the latest ones. */
const MAX_SESSIONS = 100;

/** Checks for approvals that wait long, keys in cooldown, runs that the index shows as open for too long, and lost messages. */
export async function examineBacklog(context: DiagnosticsContext): Promise<Check[]> {
  const found = await Promise.all([
    waitingApprovals(context),
    keysInCooldown(context),
    overdueSessions(context),
    undelivered(context),
    unhandled(context),
  ]);
  const checks = found.flat();
  if (checks.length > 0) return checks;
  return [
    {
      id: "backlog.none",
      area: "backlog",
      status: "ok",
      message: "D1 answers, and nothing has waited for long.",
    },
  ];
}

async function waitingApprovals({ bindings, now }: DiagnosticsContext): Promise<Check[]> {
  const [old] = await drizzle(bindings.DB)
    .select({ count: count(), since: min(approvals.requestedAt) })
    .from(approvals)
    .where(lt(approvals.requestedAt, now - HOUR_MS));
  if (old === undefined || old.count === 0) return [];
  return [
    {
      id: "backlog.approvals",
      area: "backlog",
      status: "warn",
      message: `${old.count} tool calls have waited for approval for over an hour, the oldest since ${isoTime(old.since ?? now)}.`,
      fix: "Answer them on the page, with POST /v1/approvals/:id, or with /approve.",
    },
  ];
}

/** How far back lost deliveries are looked for. */
const LOST_DAYS = 7;

/** Replies of the last days that did not arrive, or may not have, by the audit trail. */
async function undelivered({ bindings, services, now }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const agents = agentIds(services.config).slice(0, MAX_LINES);
  const lines = await drizzle(bindings.DB)
    .select({ sessionKey: audit.sessionKey, by: audit.by, deliveryId: audit.subject, detail: audit.detail })
    .from(audit)
    .where(
      and(inArray(audit.agentId, agents), eq(audit.kind, "delivery"), gt(audit.at, now - LOST_DAYS * 24 * HOUR_MS)),
    )
    .orderBy(asc(audit.at), asc(audit.id));
  const last = new Map(lines.map((line) => [line.deliveryId, line]));
  const lost = [...last.values()].filter(({ detail }) => detail !== "delivered");
  const places = Map.groupBy(lost, ({ by, sessionKey }) => `${by} ${sessionKey}`);
  return [...places.values()].slice(0, MAX_LINES).flatMap((rows): Check[] => {
    const newest = rows.at(-1);
    if (newest === undefined) return [];
    const what = rows.length === 1 ? "A message" : `${rows.length} messages`;
    return [
      {
        id: `backlog.deliveries.${newest.by}`,
        area: "backlog",
        status: "warn",
        message: `${what} to ${newest.by} did not arrive, or may not have, within ${LOST_DAYS} days (${newest.detail}).`,
        fix: `Send it again: /resend there or on the page of ${newest.sessionKey}.`,
      },
    ];
  });
}

/** Messages of queues that no consumer could handle. */
async function unhandled({ bindings }: DiagnosticsContext): Promise<Check[]> {
  const [dead] = await drizzle(bindings.DB)
    .select({ count: count(), newest: max(deadLetters.at) })
    .from(deadLetters);
  if (dead === undefined || dead.count === 0) return [];
  return [
    {
      id: "backlog.dead_letters",
      area: "backlog",
      status: "warn",
      message: `${dead.count} messages of queues could not be handled within 30 days, the newest from ${isoTime(dead.newest ?? 0)}.`,
      fix: "Look at deadLetters of GET /v1/schedule, and at the log for why. Slots that are still due are sent again by themselves.",
    },
  ];
}

const COOLDOWN_FIXES = {
  auth: "Check whether the key is still valid.",
  billing: "Check the account: its credit is used up.",
  rate_limit: "Wait, or add another key to auth.profiles, or a fallback model.",
} as const;

async function keysInCooldown({ bindings, now }: DiagnosticsContext): Promise<Check[]> {
  const rows = await drizzle(bindings.DB)
    .select()
    .from(cooldowns)
    .where(gt(cooldowns.until, now))
    .orderBy(asc(cooldowns.profile))
    .limit(MAX_LINES);
  return rows.map(({ profile, kind, until, failures }) => ({
    id: `backlog.rest.${profile}`,
    area: "backlog",
    status: "warn",
    message: `${profile} is in cooldown until ${isoTime(until)}, after ${failures} refusals (${kind}).`,
    fix: COOLDOWN_FIXES[kind],
  }));
}

/** Sessions whose last run should have ended long ago, according to the index. */
async function overdueSessions({ bindings, services, now }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const { config } = services;
  const limitMs = Math.max(config.agents.defaults.timeoutSeconds * 1000, HOUR_MS) * 2;
  const lists = await Promise.all(
    agentIds(config)
      .slice(0, MAX_LINES)
      .map((agentId) => listSessions(bindings.DB, { agentId, since: 0, limit: MAX_SESSIONS })),
  );
  const overdue = lists.flat().filter(({ lastStatus, updatedAt }) => isOpen(lastStatus) && updatedAt < now - limitMs);
  return overdue.slice(0, MAX_LINES).map(({ key, lastStatus, updatedAt, lastRunId }) => ({
    id: `backlog.session.${key}`,
    area: "backlog",
    status: "warn",
    message: `The last run of ${key} has been '${lastStatus}' in the index since ${isoTime(updatedAt)}.`,
    fix: `Look at it (GET /v1/runs/${lastRunId}); if it still runs, stop it with POST /v1/runs/${lastRunId}/abort.`,
  }));
}

function isOpen(status: (typeof sessions.$inferSelect)["lastStatus"]): boolean {
  return status === "queued" || status === "running";
}

function isoTime(instant: number): string {
  return new Date(instant).toISOString();
}

/** Checks whether a budget is used up, so that runs are refused. */
export async function examineBudgets({ services, bindings }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const scopes = allScopes(services.config);
  const head = { id: "budgets.caps", area: "budgets", path: "budgets" } as const;
  if (scopes.length === 0) return [{ ...head, status: "ok", message: "Nothing is capped." }];
  const reports = await readBudgets(scopes, bindings.BUDGETS);
  const full = reports.flatMap(({ scope, uses }) =>
    uses
      .filter(({ isFull }) => isFull)
      .map(({ cap, roomAt }): Check => {
        const until = roomAt === undefined ? "" : ` until ${new Date(roomAt).toISOString()}`;
        return {
          id: `budgets.${scope}.${cap.of}.${cap.minutes}`,
          area: "budgets",
          status: "warn",
          message: `The budget of ${scopeText(scope)}, ${capText(cap)}, is used up${until}: runs are refused.`,
          fix: "Wait, or raise the cap.",
          path: "budgets",
        };
      }),
  );
  return full.length > 0 ? full : [{ ...head, status: "ok", message: `${scopes.length} budgets are not used up.` }];
}
