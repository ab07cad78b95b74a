import { inArray } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { agentIds, agentOf } from "../config/agents.ts";
import { meta } from "../db/memory-schema.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { otherIndexedAgents } from "../memory/store/clear-index.ts";
import { configurationInForce, knowConfiguration } from "../services/current-config.ts";
import { requestIndexingOfAll } from "../services/memory/request-indexing.ts";
import type { Config } from "../services/services.ts";

/** Most agents of one question to the database, which takes 100 parameters. */
const MAX_AT_ONCE = 100;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Within so much of an hour there is one tick. */
const TICK_MS = 5 * MINUTE_MS;
/** Most agents of one hour whose index is cleared away. */
const MAX_CLEARED = 5;

/**
 * What is done every few minutes: memories whose time it is are compared with their files. Once an hour, indexes of agents
 * that are to have none are cleared away. Else, where no agent has an interval, nothing is asked but which configuration is in
 * force. Never rejects: the next tick is as good an occasion.
 * @param scheduledAt when it was to be: a tick may come late
 */
export async function tick(env: Env, scheduledAt: number, now: number = scheduledAt): Promise<void> {
  try {
    await knowConfiguration(env, now);
    const { config } = configurationInForce(env);
    const due = await dueMemories(env.MEMORY, config, now);
    if (scheduledAt % HOUR_MS < TICK_MS) due.push(...(await needlessMemories(env.MEMORY, config)));
    await requestIndexingOfAll(env.INDEXING, due);
  } catch (thrown) {
    log("warn", "tick.failed", { error: messageOf(thrown) });
  }
}

/** The agents whose memory was last compared with its files so long ago as their interval is, or never. */
async function dueMemories(database: D1Database, config: Config, now: number): Promise<string[]> {
  const intervals = new Map(
    agentIds(config)
      .map((id) => agentOf(config, id))
      .filter(({ memorySearch }) => memorySearch.enabled && memorySearch.sync.intervalMinutes > 0)
      .map(({ id, memorySearch }) => [id, memorySearch.sync.intervalMinutes * MINUTE_MS]),
  );
  const ids = [...intervals.keys()];
  const due: string[] = [];
  for (let i = 0; i < ids.length; i += MAX_AT_ONCE) {
    const some = ids.slice(i, i + MAX_AT_ONCE);
    const compared = await comparedAt(database, some);
    due.push(...some.filter((id) => now - (compared.get(id) ?? 0) >= (intervals.get(id) ?? 0)));
  }
  return due;
}

/** Agents that have an index and are not configured any more, or have no memory any more: a few of them. */
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
