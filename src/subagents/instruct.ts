import { newRunId, objectNameOfRun } from "../config/session-ids.ts";
import { IsopodError } from "../lib/errors.ts";
import { boundedInput } from "../session-store/input-bounds.ts";
import type { RunInput } from "../session-store/run.ts";
import { type Child, given, isAtWork, type Telling } from "../session-store/subagent.ts";
import { type ChildRow, findChild, openChildren, saveChild } from "../session-store/subagent-rows.ts";
import { childMeant } from "./find-subagent.ts";
import { shownChildren } from "./subagent-view.ts";
import type { FamilyRoom } from "./subagents-deps.ts";

/** Who gives a sub-agent something to do. */
export interface Giver {
  /** The run that does: who stops it stops the sub-agent. */
  runId: string;
  /** The same again is nothing new. */
  askedBy: string;
  telling: Telling;
  maxChildren: number;
}

/** What a sub-agent is, apart from what it was given last. */
export type ChildSelf = Omit<Child, "phase" | "task">;

/**
 * Gives a sub-agent more to do, within the fence: it hears it at once where it is at work, else it works again.
 * @throws IsopodError that says why it cannot be
 */
export function giveMore(which: string, message: string, giver: Giver, room: FamilyRoom): ChildRow {
  const { store, now } = room;
  const row = findChild(store, childMeant(shownChildren(store), which).sessionKey);
  if (row === undefined) throw new IsopodError("not_found", `There is no sub-agent '${which}'.`);
  const { key, child } = row;
  if (child.askedBy === giver.askedBy) return row;
  if (child.phase.status === "starting")
    throw new IsopodError("conflict", "It has not begun yet. Try again in a moment.");
  if (child.phase.status === "stopping") throw new IsopodError("conflict", "It is being stopped.");
  if (!isAtWork(child)) requireRoom(giver.maxChildren, room);
  const { askedBy, telling } = giver;
  const self = { ...child, askedBy, telling, childRunId: newRunId(objectNameOfRun(child.childRunId) ?? "", now()) };
  const runId = isAtWork(child) ? row.runId : giver.runId;
  const next = { key, runId, child: given(self, messageFor(self, message, giver, room), now()) };
  saveChild(store, next);
  return next;
}

/** What a sub-agent is told, with the rights of the run that tells it. */
export function messageFor(child: ChildSelf, text: string, { runId, telling }: Giver, { owner }: FamilyRoom): RunInput {
  const { key, settings } = owner();
  const spawned = { lineage: [key, ...(settings.spawned?.lineage ?? [])], label: child.label };
  return boundedInput({
    text,
    sender: { id: "system", name: "System", owner: telling.owner },
    ...child.voice,
    timeoutSeconds: child.timeoutSeconds,
    origin: { kind: "spawn", byRunId: runId, spawned, ...(telling.target && { people: telling.target }) },
  });
}

/** @throws IsopodError where as many sub-agents are at work as may be */
export function requireRoom(maxChildren: number, { store }: FamilyRoom): void {
  const count = openChildren(store).length;
  if (count < maxChildren) return;
  const limit = `agents.defaults.subagents.maxChildren is ${maxChildren}`;
  throw new IsopodError("conflict", `${count} sub-agents are at work, and ${limit}. Wait for one to end, or stop one.`);
}
