import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { agentIds, heartbeatOf } from "../config/agents.ts";
import { scheduleState } from "../db/schema.ts";
import { batches } from "../lib/batches.ts";
import { shortDigest } from "../lib/digest.ts";
import { nextHeartbeat } from "../schedule/heartbeat-times.ts";
import { CLAIM_SIZE, claimDue, entriesWithIds, keepHeartbeats, saveEntry } from "../schedule/schedule-store.ts";
import { heartbeatEntryId, MAX_SLOTS_PER_MESSAGE, newHeartbeatEntry, type Slot } from "../schedule/slots.ts";
import { configurationInForce, knownConfiguration } from "../services/current-config.ts";
import { agentIn, type Config } from "../services/services.ts";

/** The queue message that brings due slots to their sessions. */
export interface RunSlots {
  kind: "run-slots";
  /** The time of the event that claimed them, in milliseconds since the epoch. */
  at: number;
  slots: Slot[];
}

/** Most messages of one `sendBatch`, which takes 256 KB: a message of long ids has up to 12. */
const MAX_MESSAGES = 20;
/** Rows that are read or written at once. */
const ROWS_AT_ONCE = 500;

/**
 * Claims what is due at a time of the clock and hands it to the queue, `MAX_SLOTS_PER_MESSAGE` slots a message. What is
 * claimed and not handed over is claimed again after its lease. May be called twice for the same time, and late.
 * @returns how many slots were handed over
 * @throws any error of D1 or the queue
 */
export async function dispatchDue(env: Env, at: number): Promise<number> {
  await updateHeartbeats(env, at);
  let dispatched = 0;
  for (;;) {
    const claimed = await claimDue(env.DB, at);
    const messages = batches(claimed, () => 1, { size: MAX_SLOTS_PER_MESSAGE });
    for (const some of batches(messages, () => 1, { size: MAX_MESSAGES })) {
      await env.SCHEDULE.sendBatch(
        some.map((slots) => ({ body: { kind: "run-slots", at, slots } satisfies RunSlots })),
      );
    }
    dispatched += claimed.length;
    if (claimed.length < CLAIM_SIZE) return dispatched;
  }
}

/**
 * Updates the rows of heartbeats after a change of the configuration. Without one it costs one small read.
 * @throws any error of D1; the next tick goes on
 */
export async function updateHeartbeats(env: Env, at: number): Promise<void> {
  const { config, revision } = configurationInForce(env);
  const zones = agentIds(config).map((id) => knownConfiguration(env.DB).browserZone(id) ?? "");
  const source = revision > 0 ? `${revision}` : (env.ISOPOD_CONFIG ?? "");
  const madeFrom = await shortDigest(JSON.stringify([source, ...zones.filter((zone) => zone !== "")]));
  const db = drizzle(env.DB);
  const [state] = await db.select().from(scheduleState).where(eq(scheduleState.id, 1));
  if (state?.madeFrom === madeFrom) return;
  const ids = agentIds(config).filter((id) => heartbeatOf(config, id) !== undefined);
  for (const some of batches(ids, () => 1, { size: ROWS_AT_ONCE })) await updateRows(env, config, some, at);
  await keepHeartbeats(env.DB, ids.map(heartbeatEntryId));
  await db
    .insert(scheduleState)
    .values({ id: 1, madeFrom })
    .onConflictDoUpdate({ target: scheduleState.id, set: { madeFrom } });
}

/** A row keeps its next slot unless the times say another one. */
async function updateRows(env: Env, config: Config, ids: readonly string[], at: number): Promise<void> {
  const known = new Map((await entriesWithIds(env.DB, ids.map(heartbeatEntryId))).map((row) => [row.id, row]));
  const browserZone = (id: string) => knownConfiguration(env.DB).browserZone(id);
  for (const agentId of ids) {
    const block = heartbeatOf(config, agentId);
    if (block === undefined) continue;
    const zone = agentIn({ config, browserZone }, agentId).defaults.userTimezone ?? "UTC";
    const row = known.get(heartbeatEntryId(agentId));
    const nextAt = nextHeartbeat(block, agentId, zone, at) ?? null;
    if (row !== undefined && (row.isOff || row.dueAt === nextAt || (row.dueAt !== null && row.dueAt <= at))) continue;
    await saveEntry(env.DB, {
      ...(row ?? newHeartbeatEntry(agentId, at)),
      dueAt: nextAt,
      readyAt: nextAt,
      updatedAt: at,
    });
  }
}
