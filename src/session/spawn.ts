import { type Agent, agentIds, agentOf } from "../config/agents.ts";
import { head } from "../lib/text.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import type { CallRef, SpawnableAgent, SpawnedChild, SpawnRequest } from "../tools/sessions-port.ts";
import { type Caller, maySpawn, nameOfCall } from "./caller.ts";
import { given, type Voice } from "./child.ts";
import { findChild, saveChild } from "./child-rows.ts";
import { messageFor, requireRoom, teller } from "./give.ts";
import { newRunId, objectNameOf } from "./locate.ts";
import { lookUpModel } from "./model-choice.ts";

const MAX_LABEL_CHARS = 60;

/**
 * Starts a sub-agent: stored first, then told. The same call again is the same sub-agent.
 * @throws Error that names the setting where it may not be
 */
export async function spawn(request: SpawnRequest, call: CallRef, caller: Caller): Promise<SpawnedChild> {
  const { run, family, room } = caller;
  const { store, fence, now, changed } = room;
  const helper = agentToStart(request.agentId, caller);
  const askedBy = await nameOfCall(caller, call.callId);
  const key = `agent:${helper.id}:subagent:${askedBy}`;
  const objectName = await objectNameOf(key);
  const child = {
    agentId: helper.id,
    label: labelOf(request.label ?? request.task.split("\n", 1)[0] ?? ""),
    askedBy,
    voice: voiceOf(request, helper, caller),
    timeoutSeconds: request.runTimeoutSeconds ?? helper.subagents.runTimeoutSeconds ?? helper.defaults.timeoutSeconds,
    ...teller(caller),
  };
  fence.write(() => {
    if (findChild(store, key) !== undefined) return;
    call.signal.throwIfAborted();
    requireRoom(caller);
    const begun = { ...child, childRunId: newRunId(objectName, now()), startedAt: now() };
    saveChild(store, { key, runId: run.row.id, child: given(begun, messageFor(begun, request.task, caller), now()) });
  });
  changed();
  await family.children.tell(key);
  const stored = findChild(store, key)?.child;
  if (stored === undefined) throw new Error("The sub-agent could not be stored.");
  return { sessionKey: key, runId: stored.childRunId, hasBegun: stored.phase.status !== "starting" };
}

/** The agents that a run may start, its own first. */
export function spawnableAgents({ agent, room }: Pick<Caller, "agent" | "room">): SpawnableAgent[] {
  const { config } = room.wiring();
  const { allowAgents } = agent.subagents;
  const isAllowed = (id: string) => id !== agent.id && (allowAgents.includes("*") || allowAgents.includes(id));
  const others = agentIds(config).filter(isAllowed);
  return [agent, ...others.map((id) => agentOf(config, id))].map(({ id, name }) => ({ id, ...(name && { name }) }));
}

function agentToStart(agentId: string | undefined, { agent, room }: Caller): Agent {
  if (!maySpawn(room.owner(), agent)) {
    const limit = `agents.defaults.subagents.maxSpawnDepth is ${agent.subagents.maxSpawnDepth}`;
    throw new Error(`No sub-agents can be started from here: ${limit}.`);
  }
  const allowed = spawnableAgents({ agent, room }).map(({ id }) => id);
  const wanted = agentId ?? agent.id;
  if (allowed.includes(wanted)) return agentOf(room.wiring().config, wanted);
  throw new Error(`agentId: '${wanted}' cannot be started; subagents.allowAgents leaves ${allowed.join(", ")}.`);
}

function voiceOf({ model, thinking }: SpawnRequest, { subagents }: Agent, { room }: Caller): Voice {
  const wanted = model ?? subagents.model;
  const found = wanted === undefined ? undefined : lookUpModel(room.wiring, wanted);
  if (found?.kind === "none") throw new Error(`model: ${found.problem}`);
  const level = thinking ?? subagents.thinking;
  return { ...(found && { model: found.ref }), ...(level && { thinking: level }) };
}

function labelOf(text: string): string {
  return head(sanitizeForPrompt(text).trim(), MAX_LABEL_CHARS) || "sub-agent";
}
