import { and, eq, lt, ne, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Agent } from "../config/agents.ts";
import { newRunId, objectNameOf } from "../config/session-ids.ts";
import { mainSessionKey } from "../config/session-key.ts";
import { boots } from "../db/schema.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { agentIn } from "../services/services.ts";
import type { AcceptRequest } from "../session-store/run-request.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";
import { fileNamed } from "../workspace/bootstrap-names.ts";
import { readText } from "../workspace/read-text.ts";
import { truncate } from "../workspace/truncate.ts";
import { type Workspace, type WorkspaceEntry, WorkspaceError, type WorkspaceFile } from "../workspace/workspace.ts";

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

const NAME = "BOOT.md";

const ORDER = [
  "[System] A new version of you has come up. This is what your workspace's BOOT.md asks you to do then, once.",
  "Do it now. Nobody waits for a reply: whoever is to hear of it gets a message, and when all is done answer NO_REPLY.",
].join("\n");

/**
 * The run that a new deployment starts in an agent's main session: the instructions of its BOOT.md (the case of the
 * name does not matter). Undefined, at no cost, if there is no such file or it is empty.
 * @param listing the workspace's root
 * @throws WorkspaceError `unavailable`
 */
export async function bootRequest(
  agent: Agent,
  workspace: Pick<Workspace, "read">,
  listing: readonly WorkspaceEntry[],
  bootId: string,
): Promise<Omit<AcceptRequest, "runId"> | undefined> {
  const file = fileNamed(listing, NAME);
  const content = file && (await readBootFile(agent, workspace, file));
  if (content === undefined) return undefined;
  return {
    sessionKey: mainSessionKey(agent.id),
    agentId: agent.id,
    idempotencyKey: `boot:${bootId}`,
    input: {
      text: `${ORDER}\n\n${content}`,
      // Anyone who may write to the workspace is trusted like its owner.
      sender: { id: "system", name: "System", owner: true },
      timeoutSeconds: agent.defaults.timeoutSeconds,
      origin: { kind: "boot" },
    },
  };
}

async function readBootFile(
  { id, defaults: { bootstrapMaxChars } }: Agent,
  workspace: Pick<Workspace, "read">,
  file: WorkspaceFile,
): Promise<string | undefined> {
  try {
    const read = await readText(workspace, file, bootstrapMaxChars);
    if (read.kind === "binary") log("warn", "boot_file.no_text", { agentId: id, path: file.path, why: read.why });
    const content = read.kind === "text" ? truncate(read.excerpt, bootstrapMaxChars, file.path).content.trim() : "";
    return content === "" ? undefined : content;
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "not_found") return undefined;
    throw error;
  }
}
