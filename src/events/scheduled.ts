import { inArray } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { agentIds, agentOf } from "../config/agents.ts";
import { meta } from "../db/memory-schema.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { configurationInForce, knowConfiguration } from "../session/configuration/configuration.ts";
import { askForAll } from "../session/memory/ask-for-indexing.ts";
import type { Config } from "../session/wiring.ts";

/** Most agents of one question to the database, which takes 100 parameters. */
const MAX_AT_ONCE = 100;
const MINUTE_MS = 60_000;

/**
 * What is done every few minutes: memories whose time it is are compared with their files. Where no agent has an interval
 * nothing is asked but which configuration is in force. Never rejects: the next tick is as good an occasion.
 */
export async function tick(env: Env, now: number = Date.now()): Promise<void> {
  try {
    await knowConfiguration(env, now);
    const due = await dueMemories(env.MEMORY, configurationInForce(env).config, now);
    await askForAll(env.INDEXING, due);
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

async function comparedAt(database: D1Database, ids: readonly string[]): Promise<Map<string, number | null>> {
  const rows = await drizzle(database)
    .select({ agentId: meta.agentId, comparedAt: meta.comparedAt })
    .from(meta)
    .where(inArray(meta.agentId, [...ids]));
  return new Map(rows.map((row) => [row.agentId, row.comparedAt]));
}
