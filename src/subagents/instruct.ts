import { newRunId, objectNameOfRun } from "../config/session-ids.ts";
import { IsopodError } from "../lib/errors.ts";
import { boundedInput } from "../session-store/merge-key.ts";
import type { RunInput } from "../session-store/run.ts";
import { type AnnouncementTarget, given, isAtWork, type Subagent } from "../session-store/subagent.ts";
import { findSubagentRow, openSubagents, type SubagentRow, saveSubagent } from "../session-store/subagent-rows.ts";
import { findSubagent } from "./find-subagent.ts";
import { listedSubagents } from "./subagent-view.ts";
import type { SubagentsDeps } from "./subagents-deps.ts";

/** Who gives a sub-agent something to do. */
export interface Instructor {
  /** The run that does: who stops it stops the sub-agent. */
  runId: string;
  /** The same again is nothing new. */
  askedBy: string;
  announceTo: AnnouncementTarget;
  maxChildren: number;
}

/** What a sub-agent is, apart from what it was given last. */
export type NewSubagent = Omit<Subagent, "phase" | "task">;

/**
 * Gives a sub-agent more to do, within the fence: it hears it at once where it is at work, else it works again.
 * @throws IsopodError that says why it cannot be
 */
export function instructSubagent(
  which: string,
  message: string,
  instructor: Instructor,
  deps: SubagentsDeps,
): SubagentRow {
  const { store, now } = deps;
  const row = findSubagentRow(store, findSubagent(listedSubagents(store), which).sessionKey);
  if (row === undefined) throw new IsopodError("not_found", `There is no sub-agent '${which}'.`);
  const { key, child } = row;
  if (child.askedBy === instructor.askedBy) return row;
  if (child.phase.status === "starting")
    throw new IsopodError("conflict", "It has not begun yet. Try again in a moment.");
  if (child.phase.status === "stopping") throw new IsopodError("conflict", "It is being stopped.");
  if (!isAtWork(child)) requireFreeSlot(instructor.maxChildren, deps);
  const { askedBy, announceTo } = instructor;
  const self = { ...child, askedBy, announceTo, childRunId: newRunId(objectNameOfRun(child.childRunId) ?? "", now()) };
  const runId = isAtWork(child) ? row.runId : instructor.runId;
  const next = { key, runId, child: given(self, messageFor(self, message, instructor, deps), now()) };
  saveSubagent(store, next);
  return next;
}

/** What a sub-agent is told, with the rights of the run that tells it. */
export function messageFor(
  child: NewSubagent,
  text: string,
  { runId, announceTo }: Instructor,
  { owner }: SubagentsDeps,
): RunInput {
  const { key, settings } = owner();
  const spawned = { lineage: [key, ...(settings.spawned?.lineage ?? [])], label: child.label };
  return boundedInput({
    text,
    sender: { id: "system", name: "System", owner: announceTo.owner },
    ...child.modelOverride,
    timeoutSeconds: child.timeoutSeconds,
    origin: { kind: "spawn", byRunId: runId, spawned, ...(announceTo.target && { people: announceTo.target }) },
  });
}

/** @throws IsopodError where as many sub-agents are at work as may be */
export function requireFreeSlot(maxChildren: number, { store }: SubagentsDeps): void {
  const count = openSubagents(store).length;
  if (count < maxChildren) return;
  const limit = `agents.defaults.subagents.maxChildren is ${maxChildren}`;
  throw new IsopodError("conflict", `${count} sub-agents are at work, and ${limit}. Wait for one to end, or stop one.`);
}
