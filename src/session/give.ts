import type { CallRef, ChildSummary } from "../tools/sessions-port.ts";
import { type Caller, nameOfCall } from "./caller.ts";
import { type Child, given, isAtWork } from "./child.ts";
import { findChild, openChildren, saveChild } from "./child-rows.ts";
import { childView, shownChildren } from "./child-view.ts";
import { childMeant } from "./children-meant.ts";
import { boundedInput } from "./input-bounds.ts";
import { newRunId, objectNameOf } from "./locate.ts";
import type { RunInput } from "./run.ts";

/**
 * Gives a sub-agent more to do: at once where it is at work, else it works again. Stored first, then told; the same call
 * again is the same message.
 * @throws Error that says why it cannot be
 */
export async function steer(which: string, message: string, call: CallRef, caller: Caller): Promise<ChildSummary> {
  const { run, family, room } = caller;
  const { store, fence, now, changed } = room;
  const { sessionKey: key } = childMeant(shownChildren(store), which);
  const askedBy = await nameOfCall(caller, call.callId);
  const childRunId = newRunId(await objectNameOf(key), now());
  fence.write(() => {
    const row = findChild(store, key);
    if (row === undefined || row.child.askedBy === askedBy) return;
    const { child } = row;
    call.signal.throwIfAborted();
    if (child.phase.status === "starting") throw new Error("It has not begun yet. Try again in a moment.");
    if (child.phase.status === "stopping") throw new Error("It is being stopped.");
    if (!isAtWork(child)) requireRoom(caller);
    const told = { ...child, askedBy, childRunId, ...teller(caller) };
    const runId = isAtWork(child) ? row.runId : run.row.id;
    saveChild(store, { key, runId, child: given(told, messageFor(told, message, caller), now()) });
  });
  changed();
  await family.children.tell(key);
  const row = findChild(store, key);
  if (row === undefined) throw new Error("The sub-agent is not there any more.");
  return childView(row);
}

/** What a sub-agent is told, with the rights of the run that tells it. */
export function messageFor(child: Omit<Child, "phase" | "task">, text: string, { run, room }: Caller): RunInput {
  const { key, settings } = room.owner();
  const spawned = { lineage: [key, ...(settings.spawned?.lineage ?? [])], label: child.label };
  return boundedInput({
    text,
    sender: { id: "system", name: "System", owner: run.speaker.owner },
    ...child.voice,
    timeoutSeconds: child.timeoutSeconds,
    origin: { kind: "spawn", byRunId: run.row.id, spawned },
  });
}

/** Where, and how, the end of what a run gives to a sub-agent is told. */
export function teller({
  run,
  agent,
}: Caller): Pick<Child, "target" | "parentVoice" | "parentTimeoutSeconds" | "owner"> {
  const { model, thinking } = run.journal.state;
  const parentVoice = { ...(model !== undefined && { model }), ...(thinking && { thinking }) };
  const { timeoutSeconds: parentTimeoutSeconds } = agent.defaults;
  return { target: run.row.target, parentVoice, parentTimeoutSeconds, owner: run.speaker.owner };
}

/** @throws Error where as many sub-agents are at work as may be */
export function requireRoom({ agent, room }: Caller): void {
  const count = openChildren(room.store).length;
  const { maxChildren } = agent.subagents;
  if (count < maxChildren) return;
  const limit = `agents.defaults.subagents.maxChildren is ${maxChildren}`;
  throw new Error(`${count} sub-agents are at work, and ${limit}. Wait for one to end, or stop one with subagents.`);
}
