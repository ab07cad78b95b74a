import { inArray } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { agentIds, agentOf } from "../config/agents.ts";
import { meta } from "../db/memory-schema.ts";
import { batches } from "../lib/batches.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { otherIndexedAgents } from "../memory/store/clear-index.ts";
import { pruneDeadLetters, pruneJobRuns, pruneWakeTexts } from "../schedule/schedule-store.ts";
import { configurationInForce, knowConfiguration } from "../services/current-config.ts";
import { startGateways } from "../services/discord-gateways.ts";
import { requestIndexingOfAll } from "../services/memory/request-indexing.ts";
import type { Config } from "../services/services.ts";
import { pruneAudit } from "../session-store/audit-trail.ts";
import { dispatchDue } from "./due-slots.ts";

/** Most agents in one query; D1 takes 100 parameters. */
const MAX_AT_ONCE = 100;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How often memories are looked at, so that one time falls into each hour's first interval. */
const TICK_MS = 5 * MINUTE_MS;
/** How long the runs of deleted jobs and dead letters are kept, and texts that no heartbeat has taken along. */
const KEPT_RUNS_MS = 30 * DAY_MS;
const KEPT_TEXTS_MS = 7 * DAY_MS;
/** Most indexes that are cleared per hour. */
const MAX_CLEARED = 5;

/**
 * Handles a tick of the clock, once a minute: dispatches what is due, and starts connections that are not there. Every five minutes it also requests the indexing
 * of memories whose interval has passed, and once a day it deletes what is kept for a time. Never rejects: the next tick
 * tries again.
 * @param scheduledAt the planned time, in which due times count: a tick may come late, or twice
 * @param now for the age of the configuration
 */
export async function tick(env: Env, scheduledAt: number, now: number = scheduledAt): Promise<void> {
  await orLog("tick.failed", async () => {
    await knowConfiguration(env, now);
    await dispatchDue(env, scheduledAt);
  });
  await orLog("tick.gateways_failed", () => startGateways(env, configurationInForce(env).config));
  if (scheduledAt % TICK_MS >= MINUTE_MS) return;
  await orLog("tick.upkeep_failed", async () => {
    const { config } = configurationInForce(env);
    const due = await dueMemories(env.MEMORY, config, now);
    if (scheduledAt % HOUR_MS < TICK_MS) due.push(...(await needlessMemories(env.MEMORY, config)));
    await requestIndexingOfAll(env.INDEXING, due);
    if (scheduledAt % DAY_MS >= TICK_MS) return;
    await pruneAudit(env.DB, now - config.security.auditDays * DAY_MS);
    await pruneJobRuns(env.DB, config.cron.runLog.keepLines, now - KEPT_RUNS_MS);
    await pruneWakeTexts(env.DB, now - KEPT_TEXTS_MS);
    await pruneDeadLetters(env.DB, now - KEPT_RUNS_MS);
  });
}

async function orLog(event: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    log("warn", event, { error: messageOf(thrown) });
  }
}

/** The agents whose memory was last compared with its files at least one interval ago, or never. */
async function dueMemories(database: D1Database, config: Config, now: number): Promise<string[]> {
  const intervals = new Map(
    agentIds(config)
      .map((id) => agentOf(config, id))
      .filter(({ memorySearch }) => memorySearch.enabled && memorySearch.sync.intervalMinutes > 0)
      .map(({ id, memorySearch }) => [id, memorySearch.sync.intervalMinutes * MINUTE_MS]),
  );
  const due: string[] = [];
  for (const ids of batches(intervals.keys(), () => 1, { size: MAX_AT_ONCE })) {
    const compared = await comparedAt(database, ids);
    due.push(...ids.filter((id) => now - (compared.get(id) ?? 0) >= (intervals.get(id) ?? 0)));
  }
  return due;
}

/** A few agents that have an index but are no longer configured or have no memory. */
function needlessMemories(database: D1Database, config: Config): Promise<string[]> {
  const remembering = agentIds(config).filter((id) => agentOf(config, id).memorySearch.enabled);
  return otherIndexedAgents(database, remembering, MAX_CLEARED);
}

async function comparedAt(database: D1Database, ids: readonly string[]): Promise<Map<string, number | null>> {
  const rows = await drizzle(database)
    .select({ agentId: meta.agentId, comparedAt: meta.comparedAt })
    .from(meta)
    .where(inArray(meta.agentId, [...ids]));
  return new Map(rows.map((row) => [row.agentId, row.comparedAt]));
}
