import { type Agent, agentIds, agentOf } from "../config/agents.ts";
import { newRunId, objectNameOf } from "../config/session-ids.ts";
import { head } from "../lib/text.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import { lookUpModel } from "../services/model-lookup.ts";
import { given, type Voice } from "../session-store/subagent.ts";
import { findChild, saveChild } from "../session-store/subagent-rows.ts";
import type { CallRef, ChildSummary, SpawnableAgent, SpawnedChild, SpawnRequest } from "../tools/sessions-port.ts";
import { callName } from "../turn/call-name.ts";
import { maySpawn } from "../turn/lineage.ts";
import type { Caller } from "./caller.ts";
import { type Giver, giveMore, messageFor, requireRoom } from "./instruct.ts";
import { childView } from "./subagent-view.ts";

const MAX_LABEL_CHARS = 60;

/**
 * Starts a sub-agent: stored first, then told. The same call again is the same sub-agent.
 * @throws Error that names the setting where it may not be
 */
export async function spawn(request: SpawnRequest, call: CallRef, caller: Caller): Promise<SpawnedChild> {
  const { family, room } = caller;
  const { store, fence, now, changed } = room;
  const helper = agentToStart(request.agentId, caller);
  const giver = await giverOf(call, caller);
  const { runId, askedBy, telling, maxChildren } = giver;
  const key = `agent:${helper.id}:subagent:${askedBy}`;
  const objectName = await objectNameOf(key);
  const child = {
    agentId: helper.id,
    label: labelOf(request.label ?? request.task.split("\n", 1)[0] ?? ""),
    askedBy,
    voice: voiceOf(request, helper, caller),
    timeoutSeconds: request.runTimeoutSeconds ?? helper.subagents.runTimeoutSeconds ?? helper.defaults.timeoutSeconds,
    telling,
  };
  fence.write(() => {
    if (findChild(store, key) !== undefined) return;
    call.signal.throwIfAborted();
    requireRoom(maxChildren, room);
    const self = { ...child, childRunId: newRunId(objectName, now()), startedAt: now() };
    saveChild(store, { key, runId, child: given(self, messageFor(self, request.task, giver, room), now()) });
  });
  changed();
  await family.children.tell(key);
  const stored = findChild(store, key)?.child;
  if (stored === undefined) throw new Error("The sub-agent could not be stored.");
  return { sessionKey: key, runId: stored.childRunId, hasBegun: stored.phase.status !== "starting" };
}

/**
 * Gives a sub-agent more to do: stored first, then told. The same call again is the same message.
 * @throws Error that says why it cannot be
 */
export async function steer(which: string, message: string, call: CallRef, caller: Caller): Promise<ChildSummary> {
  const { family, room } = caller;
  const giver = await giverOf(call, caller);
  const { key } = room.fence.write(() => {
    call.signal.throwIfAborted();
    return giveMore(which, message, giver, room);
  });
  room.changed();
  await family.children.tell(key);
  const row = findChild(room.store, key);
  if (row === undefined) throw new Error("The sub-agent is not there any more.");
  return childView(row);
}

async function giverOf({ callId }: CallRef, caller: Caller): Promise<Giver> {
  const { run, agent } = caller;
  const { model, thinking } = run.journal.state;
  const voice = { ...(model !== undefined && { model }), ...(thinking && { thinking }) };
  const { timeoutSeconds } = agent.defaults;
  return {
    runId: run.row.id,
    askedBy: await callName(run, caller.room.owner().key, callId),
    telling: { target: run.row.target, owner: run.speaker.owner, voice, timeoutSeconds },
    maxChildren: agent.subagents.maxChildren,
  };
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
