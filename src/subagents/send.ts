import { agentOf } from "../config/agents.ts";
import { newRunId, objectNameOf } from "../config/session-ids.ts";
import { mainSessionKey, parseSessionKey } from "../config/session-key.ts";
import { labelsInView } from "../models/view-labels.ts";
import type { Label } from "../security/labels.ts";
import type { RunInput } from "../session-store/run-input.ts";
import { boundedInput } from "../session-store/run-request.ts";
import type { CallRef, SendOutcome, SendRequest } from "../tools/sessions-port.ts";
import { callName, nestedOrigins } from "../turn/lineage.ts";
import { systemSender } from "../turn/principal.ts";
import { findSession, type SessionCaller } from "./find-session.ts";

/** Most messages between sessions that may lead to one another, so that two agents do not talk without end. */
const MAX_HOPS = 5;

/**
 * Sends a message to another session's agent, once for each call, and waits for the reply. It does not wait where that
 * session waits for this one.
 * @throws Error with the reason why it must not be sent
 */
export async function send(request: SendRequest, call: CallRef, caller: SessionCaller): Promise<SendOutcome> {
  const { deps } = caller;
  const { session, call: callSession, now } = deps;
  const sessionKey = await findSession(request.to, caller);
  if (sessionKey === session().key) throw new Error("That is this session itself.");
  await requireSession(sessionKey, caller);
  const idempotencyKey = `nested:${await callName(caller.run, session().key, call.callId)}`;
  const input = nestedInput(request.message, sessionKey, caller);
  const proposed = newRunId(await objectNameOf(sessionKey), now());
  const { agentId } = parseSessionKey(sessionKey);
  call.signal.throwIfAborted();
  const { runId } = await callSession(sessionKey, (session) =>
    session.accept({ sessionKey, agentId, runId: proposed, idempotencyKey, input }),
  );
  const sent = { sessionKey, runId };
  if (isWaitedForBy(sessionKey, caller)) {
    return { status: "accepted", ...sent, note: "That session waits for this one, so this one does not wait for it." };
  }
  if (request.timeoutSeconds === 0)
    return { status: "accepted", ...sent, note: "It was told. Nobody waits for a reply." };
  const result = await callSession(sessionKey, (session) => session.wait(runId, request.timeoutSeconds * 1000));
  if (result?.status === "timeout") {
    const note = "It is still at work. Its reply will be in its history; tell the user or go on with something else.";
    return { status: "timeout", ...sent, note };
  }
  if (result?.status !== "ok") return { status: "error", ...sent, error: result?.error?.message ?? "It is gone." };
  return { status: "ok", ...sent, ...(await finalReply(sessionKey, runId, caller)) };
}

function nestedInput(message: string, sessionKey: string, { run, deps }: SessionCaller): RunInput {
  const { key } = deps.session();
  const hops = 1 + Math.max(0, ...nestedOrigins(run, deps.store).map((origin) => origin.hops));
  if (hops > MAX_HOPS) throw new Error(`${MAX_HOPS} messages between sessions have led to each other: that is enough.`);
  const labels = labelsInView(run.journal.context());
  return boundedInput({
    text: `[System] The agent in the session ${key} says this. Your reply goes to it and to nobody else.\n\n${message}`,
    sender: systemSender(run.principal),
    ...(labels.length > 0 && { labels }),
    timeoutSeconds: agentOf(deps.services().config, parseSessionKey(sessionKey).agentId).defaults.timeoutSeconds,
    origin: { kind: "nested", fromKey: key, hops },
  });
}

/** An agent's main session always exists; any other must have been started by a message from elsewhere. */
async function requireSession(sessionKey: string, { deps }: SessionCaller): Promise<void> {
  const { agentId } = parseSessionKey(sessionKey);
  agentOf(deps.services().config, agentId);
  if (sessionKey === mainSessionKey(agentId)) return;
  const lineage = await deps.call(sessionKey, (session) => session.lineage());
  if (lineage === undefined) throw new Error(`There is no session '${sessionKey}'.`);
}

/** Whether a session waits for this run's reply, as far as is known here. */
function isWaitedForBy(sessionKey: string, caller: SessionCaller): boolean {
  const { lineage = [] } = caller.deps.session().settings.spawned ?? {};
  return (
    lineage.includes(sessionKey) ||
    nestedOrigins(caller.run, caller.deps.store).some(({ fromKey }) => fromKey === sessionKey)
  );
}

async function finalReply(
  sessionKey: string,
  runId: string,
  caller: SessionCaller,
): Promise<{ reply: string; labels?: readonly Label[] }> {
  const view = await caller.deps.call(sessionKey, (session) => session.show(runId));
  if (view?.intoRunId !== undefined) return finalReply(sessionKey, view.intoRunId, caller);
  return { reply: (view?.reply ?? "").trim(), ...(view?.labels && { labels: view.labels }) };
}
