import { and, eq, lt, ne, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { newRunId, objectNameOf } from "../config/session-ids.ts";
import { boots } from "../db/schema.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { agentIn } from "../services/services.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";
import type { WorkspaceEntry } from "../workspace/workspace.ts";
import { bootRequest } from "./boot-file.ts";

/** Time after which an unfinished claim counts as abandoned. */
const ABANDONED_MS = 5 * 60_000;
/** How long the record of a deployment is kept. */
const KEPT_MS = 30 * 86_400_000;

/** Dependencies of `startGateway`. */
export interface GatewayStartDeps extends Pick<SubagentsDeps, "session" | "services" | "call" | "now"> {
  hooks: SessionHooks;
  database: D1Database;
}

/**
 * Handles the start of a new deployment, once for each deployment and agent: runs BOOT.md and the `gateway_start`
 * hooks. The edge has no start event, so this happens after the first turn of a deployment. The first caller claims it
 * in D1; an abandoned claim is repeated. Without a BOOT.md and hooks, an isolate only looks for the file once. Never
 * rejects.
 * @param listing the listing of the root, if the turn has made one
 */
export async function startGateway(
  deps: GatewayStartDeps,
  listing?: Promise<WorkspaceEntry[] | undefined>,
): Promise<void> {
  const { hooks, database, session, services, call, now } = deps;
  const { deployment: version, started } = services();
  const agent = agentIn(services(), session().agentId);
  if (started.has(agent.id)) return;
  started.add(agent.id);
  const id = `${version}:${agent.id}`;
  try {
    const workspace = services().workspaceOf(agent);
    const request = await bootRequest(agent, workspace, (await listing) ?? (await workspace.list("")), id);
    if (request === undefined && !hooks.has("gateway_start")) return;
    const claim = await claimed(database, id, now());
    // The holder of the claim may still crash.
    if (claim === "taken") started.delete(agent.id);
    if (claim !== "mine") return;
    if (request !== undefined) {
      const runId = newRunId(await objectNameOf(request.sessionKey), now());
      await call(request.sessionKey, (session) => session.accept({ ...request, runId }));
    }
    await hooks.run("gateway_start", { version });
    await drizzle(database).update(boots).set({ doneAt: now() }).where(eq(boots.id, id));
  } catch (error) {
    started.delete(agent.id);
    log("warn", "gateway_start.failed", { agentId: agent.id, error: messageOf(error) });
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
