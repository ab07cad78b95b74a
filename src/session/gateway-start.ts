import { and, eq, lt, ne, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { boots } from "../db/schema.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** After how long whoever set about it is taken to have died. */
const ABANDONED_MS = 5 * 60_000;
/** How long is known of a deployment that has not been seen since. */
const KEPT_MS = 30 * 86_400_000;

/** What this isolate has not to ask about any more. */
const settled = new Set<string>();

/** What telling plugins of a new deployment needs. */
export interface GatewayRoom {
  hooks: SessionHooks;
  database: D1Database;
  agentId: string;
  /** The deployment that runs here. */
  version: string;
  now(): number;
}

/**
 * Tells plugins, once for each deployment and agent, that it has come up. The edge has no moment at which that happens,
 * so it is done after the first turn that a deployment has anywhere; whoever comes first claims it in D1, and whoever
 * comes after one that died in the midst of it does it again. Costs nothing where no plugin wants to know. Never rejects.
 */
export async function startGateway({ hooks, database, agentId, version, now }: GatewayRoom): Promise<void> {
  const id = `${version}:${agentId}`;
  if (!hooks.has("gateway_start") || settled.has(id)) return;
  settled.add(id);
  try {
    const claim = await claimed(database, id, now());
    if (claim === "mine") {
      await hooks.run("gateway_start", { version });
      await drizzle(database).update(boots).set({ doneAt: now() }).where(eq(boots.id, id));
    }
    // Whoever is at work on it may die yet.
    if (claim === "taken") settled.delete(id);
  } catch (error) {
    settled.delete(id);
    log("warn", "gateway_start.failed", { agentId, error: messageOf(error) });
  }
}

async function claimed(database: D1Database, id: string, now: number): Promise<"mine" | "done" | "taken"> {
  const db = drizzle(database);
  const [mine, [row]] = await db.batch([
    db
      .insert(boots)
      .values({ id, at: now })
      .onConflictDoUpdate({
        target: boots.id,
        set: { at: now },
        setWhere: sql`${boots.doneAt} IS NULL AND ${boots.at} <= ${now - ABANDONED_MS}`,
      })
      .returning({ id: boots.id }),
    db.select().from(boots).where(eq(boots.id, id)),
    db.delete(boots).where(and(lt(boots.at, now - KEPT_MS), ne(boots.id, id))),
  ]);
  if (mine.length > 0) return "mine";
  return row?.doneAt === null ? "taken" : "done";
}
