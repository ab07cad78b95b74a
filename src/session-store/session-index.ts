import { and, asc, desc, eq, gte, isNotNull, lt, lte } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { originRules } from "../config/origins.ts";
import type { SessionLocation } from "../config/session-schema.ts";
import { type ListCursor, listedAfter } from "../db/list-cursor.ts";
import { approvals, audit, runs, type StoredRoute, sessions } from "../db/schema.ts";
import { NO_USAGE } from "../models/message.ts";
import { isSettled, type PausedRun, type RunState } from "./run.ts";
import type { OpenRun } from "./runs.ts";
import type { SessionRow } from "./session-row.ts";

/**
 * Writes the state of some runs of a session to the index in D1, the newest last: one round trip, and safe to repeat.
 * @throws any error of D1; nothing is written then
 */
export async function indexRuns(
  database: D1Database,
  owner: SessionRow,
  rows: readonly OpenRun[],
  now: number,
): Promise<void> {
  const newest = rows.at(-1);
  if (newest === undefined) return;
  const db = drizzle(database);
  const { key, agentId, createdAt, sessionId, settings, location } = owner;
  const route = lastRoute(rows);
  const latest = {
    ...{ sessionId, location, updatedAt: now, lastRunId: newest.id, lastStatus: newest.state.status },
    ...(route && { route: route.to, routedAt: route.at }),
  };
  const session = db
    .insert(sessions)
    .values({ key, agentId, createdAt, spawnedBy: settings.spawned?.lineage[0] ?? null, ...latest })
    .onConflictDoUpdate({ target: sessions.key, set: latest });
  const upserts = rows.map(({ id, acceptedAt, state }) => {
    const progress = indexedProgress(state);
    return db
      .insert(runs)
      .values({ id, sessionKey: key, agentId, acceptedAt, ...progress })
      .onConflictDoUpdate({ target: runs.id, set: progress });
  });
  await db.batch([session, ...upserts]);
}

/** The conversation of the last message of a person among runs; nobody writes to visitors first. */
function lastRoute(rows: readonly OpenRun[]): { to: StoredRoute; at: number } | undefined {
  const said = rows.findLast(({ target, state }) => target !== null && !target.isVisitor && !isFromSystem(state));
  if (said === undefined || said.target === null) return undefined;
  const { replyToId: _, token: __, ...to } = said.target;
  return { to, at: said.acceptedAt };
}

/** Whether a run was started by anything but a person's message. */
function isFromSystem(state: RunState): boolean {
  const kind = "from" in state ? state.from : "origin" in state ? state.origin?.kind : undefined;
  return kind !== undefined && !originRules({ kind }).isFromPerson;
}

function indexedProgress(state: RunState) {
  const settled = isSettled(state) ? state : undefined;
  const ended = settled && "usage" in settled ? settled : undefined;
  const usage = ended?.usage ?? NO_USAGE;
  return {
    status: state.status,
    model: ended?.model ?? null,
    errorCode: ended?.error?.code ?? null,
    startedAt: ended?.startedAt ?? null,
    endedAt: settled?.endedAt ?? null,
    inputTokens: usage.input,
    outputTokens: usage.output,
    costMicros: usage.costMicros ?? null,
  };
}

/** The sessions that were active since an instant, the latest first: of one agent, or of all. */
export async function listSessions(
  database: D1Database,
  { agentId, since, limit }: { agentId: string | undefined; since: number; limit: number },
): Promise<(typeof sessions.$inferSelect)[]> {
  const ofAgent = agentId === undefined ? undefined : eq(sessions.agentId, agentId);
  const rows = drizzle(database)
    .select()
    .from(sessions)
    .where(and(ofAgent, gte(sessions.updatedAt, since)));
  return rows.orderBy(desc(sessions.updatedAt)).limit(limit);
}

/** A page of all sessions, or of one agent's, the latest first. */
export async function pageOfSessions(
  database: D1Database,
  { agentId, limit, before }: { agentId: string | undefined; limit: number; before: ListCursor | undefined },
): Promise<(typeof sessions.$inferSelect)[]> {
  const ofAgent = agentId === undefined ? undefined : eq(sessions.agentId, agentId);
  const rows = drizzle(database)
    .select()
    .from(sessions)
    .where(and(ofAgent, listedAfter(sessions.updatedAt, sessions.key, before)));
  return rows.orderBy(desc(sessions.updatedAt), desc(sessions.key)).limit(limit);
}

/** Stores where a session is now. Safe to repeat. @throws any error of D1 */
export async function indexLocation(database: D1Database, key: string, location: SessionLocation): Promise<void> {
  await drizzle(database).update(sessions).set({ location }).where(eq(sessions.key, key));
}

/** A page of a session's runs, the latest first. */
export async function pageOfRuns(
  database: D1Database,
  { sessionKey, limit, before }: { sessionKey: string; limit: number; before: ListCursor | undefined },
): Promise<(typeof runs.$inferSelect)[]> {
  const rows = drizzle(database)
    .select()
    .from(runs)
    .where(and(eq(runs.sessionKey, sessionKey), listedAfter(runs.acceptedAt, runs.id, before)));
  return rows.orderBy(desc(runs.acceptedAt), desc(runs.id)).limit(limit);
}

/**
 * Adds the calls of a run that wait for approval to the index. Safe to repeat.
 * @throws any error of D1
 */
export async function indexApprovals(database: D1Database, owner: SessionRow, runId: string, run: PausedRun) {
  const rows = run.approvals
    .filter((approval) => approval.decision === undefined)
    .map(({ id, tool, question, requestedAt }) => {
      return { id, runId, sessionKey: owner.key, agentId: owner.agentId, tool, question, requestedAt };
    });
  await drizzle(database).insert(approvals).values(rows).onConflictDoNothing();
}

/** The calls that wait for approval in all sessions, the latest first. */
export async function listApprovals(database: D1Database, limit: number): Promise<(typeof approvals.$inferSelect)[]> {
  return drizzle(database).select().from(approvals).orderBy(desc(approvals.requestedAt)).limit(limit);
}

/** The calls that wait for approval in one session, the oldest first. */
export async function listSessionApprovals(
  database: D1Database,
  sessionKey: string,
  limit: number,
): Promise<(typeof approvals.$inferSelect)[]> {
  const rows = drizzle(database).select().from(approvals).where(eq(approvals.sessionKey, sessionKey));
  return rows.orderBy(asc(approvals.requestedAt)).limit(limit);
}

/**
 * Removes the calls of a run from the index.
 * @throws any error of D1
 */
export async function forgetApprovals(database: D1Database, runId: string): Promise<void> {
  await drizzle(database).delete(approvals).where(eq(approvals.runId, runId));
}

/**
 * Removes a session and its runs from the index. Safe to repeat.
 * @throws any error of D1; nothing is deleted then
 */
export async function forgetSession(database: D1Database, key: string): Promise<void> {
  const db = drizzle(database);
  await db.batch([
    db.delete(approvals).where(eq(approvals.sessionKey, key)),
    db.delete(runs).where(eq(runs.sessionKey, key)),
    db.delete(sessions).where(eq(sessions.key, key)),
  ]);
}

/** Removes ended runs of a session that were accepted up to an instant from the index. Safe to repeat. */
export async function forgetRuns(database: D1Database, key: string, acceptedUpTo: number): Promise<void> {
  await drizzle(database)
    .delete(runs)
    .where(and(eq(runs.sessionKey, key), lte(runs.acceptedAt, acceptedUpTo), isNotNull(runs.endedAt)));
}

/** Deletes audit lines of an agent from before an instant. Safe to repeat. */
export async function forgetAudit(database: D1Database, agentId: string, before: number): Promise<void> {
  await drizzle(database)
    .delete(audit)
    .where(and(eq(audit.agentId, agentId), lt(audit.at, before)));
}
