import type { Agent } from "../config/agents.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { base32 } from "../lib/ids.ts";
import { type Message, toolCalls } from "../models/message.ts";
import { mergedRuns } from "../session-store/runs.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import type { SessionsPort } from "../tools/sessions-port.ts";
import type { ActiveRun } from "./active-run.ts";
import type { TurnContext } from "./turn-context.ts";

/** How many sessions are above a session: 0 for a conversation, 1 for its sub-agents. */
export function spawnDepth({ key, settings }: Pick<SessionRow, "key" | "settings">): number {
  const atLeast = parseSessionKey(key).kind === "subagent" ? 1 : 0;
  return Math.max(atLeast, settings.spawned?.lineage.length ?? 0);
}

/** Whether a session may start sub-agents. */
export function maySpawn(session: Pick<SessionRow, "key" | "settings">, { subagents }: Agent): boolean {
  return spawnDepth(session) < subagents.maxSpawnDepth;
}

/**
 * What the tools of a turn may do with other sessions; undefined if they reach none. Only owners' turns do, and a
 * sub-agent's only if it may have sub-agents itself.
 */
export function sessionReach({
  session,
  principal,
  agent,
}: Pick<TurnContext, "session" | "principal" | "agent">): Pick<SessionsPort, "maySpawn"> | undefined {
  const mayHaveChildren = maySpawn(session, agent);
  if (!principal.owner || (spawnDepth(session) > 0 && !mayHaveChildren)) return undefined;
  return { maySpawn: mayHaveChildren };
}

/** The messages from other sessions that a run answers: its own input and merged ones. */
export function nestedOrigins({ row, journal }: ActiveRun, store: Store) {
  const origins = [journal.state.origin, ...mergedRuns(store, row.id).map(({ origin }) => origin)];
  return origins.flatMap((origin) => (origin?.kind === "nested" ? [origin] : []));
}

/**
 * A name for the effect of a tool call, the same whenever the call is repeated: 26 characters, 128 bits of the SHA-256
 * of the session key, the reply with the call, and the call's id, which some providers reuse in later replies.
 */
export async function callName(run: ActiveRun, sessionKey: string, callId: string): Promise<string> {
  const reply = run.journal.context().findLast((message) => makes(message, callId));
  const text = JSON.stringify([sessionKey, reply?.id ?? run.row.id, callId]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base32(new Uint8Array(digest, 0, 16));
}

function makes(message: Message, callId: string): boolean {
  return message.role === "assistant" && toolCalls(message).some((call) => call.callId === callId);
}
