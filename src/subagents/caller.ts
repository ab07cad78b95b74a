import type { Agent } from "../config/agents.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { base32 } from "../lib/ids.ts";
import { callsOf, type Message } from "../models/message.ts";
import type { ActiveRun } from "../session/run-scheduler.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { SessionsPort } from "../tools/sessions-port.ts";
import type { Occasion } from "../turn/turn-context.ts";
import type { Family } from "./subagents.ts";
import type { FamilyRoom } from "./subagents-deps.ts";

/** A run whose tools reach for other sessions. */
export interface Caller {
  run: ActiveRun;
  agent: Agent;
  family: Family;
  room: FamilyRoom & { database: D1Database };
}

/** How many sessions are above one: 0 for a conversation, 1 for its sub-agents. */
export function depthOf({ key, settings }: Pick<SessionRow, "key" | "settings">): number {
  const atLeast = parseSessionKey(key).kind === "subagent" ? 1 : 0;
  return Math.max(atLeast, settings.spawned?.lineage.length ?? 0);
}

/** Whether a session may start sub-agents. */
export function maySpawn(owner: Pick<SessionRow, "key" | "settings">, { subagents }: Agent): boolean {
  return depthOf(owner) < subagents.maxSpawnDepth;
}

/**
 * What tools of a turn may do with other sessions. Undefined where they reach none: only owners do, and a sub-agent only
 * where it may have sub-agents itself.
 */
export function reachOf(
  { session, speaker }: Pick<Occasion, "session" | "speaker">,
  agent: Agent,
): Pick<SessionsPort, "maySpawn"> | undefined {
  const mayHaveChildren = maySpawn(session, agent);
  if (!speaker.owner || (depthOf(session) > 0 && !mayHaveChildren)) return undefined;
  return { maySpawn: mayHaveChildren };
}

/**
 * A name for what a call does, 26 characters, the same whenever the call is done again: 128 bits of the SHA-256 of the
 * session, the reply that the call is of, and its id, which some providers use again in a later reply.
 */
export async function nameOfCall(
  { run, room }: { run: ActiveRun; room: Pick<FamilyRoom, "owner"> },
  callId: string,
): Promise<string> {
  const reply = run.journal.context().findLast((message) => makes(message, callId));
  const text = JSON.stringify([room.owner().key, reply?.id ?? run.row.id, callId]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base32(new Uint8Array(digest, 0, 16));
}

function makes(message: Message, callId: string): boolean {
  return message.role === "assistant" && callsOf(message).some((call) => call.callId === callId);
}
