import { shortDigest } from "../lib/digest.ts";
import { IsopodError } from "../lib/errors.ts";
import type { AgentConfigChange, AgentConfigChanged, ConfigPort } from "../tools/gateway.ts";
import type { TurnContext } from "./turn-context.ts";

/**
 * The configuration port of a turn; undefined if the turn may not use it: only owners' turns may, in a session that is
 * neither a sub-agent nor scheduled.
 */
export function gatewayPort(context: TurnContext): ConfigPort | undefined {
  const { principal, mode, session } = context;
  const { configuration } = context.services;
  if (!principal.owner || mode !== "full" || session.settings.spawned !== undefined) return undefined;
  return {
    schema: configuration.describe,
    newest: () => inWords(configuration.newest()),
    change: (wanted) => inWords(change(context, wanted)),
  };
}

async function change(
  { session: { key }, runId, agent: { id: agentId }, services: { configuration } }: TurnContext,
  { callId, base, change, note }: AgentConfigChange,
): Promise<AgentConfigChanged> {
  const author = `gateway:${agentId}/${await shortDigest(JSON.stringify([key, runId, callId, base]))}`;
  const run = runId === undefined ? {} : { run: { agentId, sessionKey: key, runId } };
  const outcome = await configuration.change({ base, change, author, note, ...run });
  if (outcome.kind === "invalid") return outcome;
  if (outcome.kind === "conflict") {
    // A call that was interrupted after it had stored its change is repeated.
    const next = await configuration.at(base + 1);
    return next?.author === author ? { kind: "stored", revision: base + 1, changed: next.changed } : outcome;
  }
  const { revision, changed } = outcome;
  return { kind: outcome.kind === "same" ? "same" : "stored", revision, changed };
}

/** Rewrites an error as one text for the model: the problem and its hint. */
async function inWords<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof IsopodError) || error.hint === undefined) throw error;
    throw new Error(`${error.message} ${error.hint}`, { cause: error });
  }
}
