import { type Agent, agentIds, agentOf } from "../config/agents.ts";
import { newRunId, objectNameOf, objectNameOfRun } from "../config/session-ids.ts";
import { IsopodError } from "../lib/errors.ts";
import { head } from "../lib/text.ts";
import { labelsInView } from "../models/view-labels.ts";
import type { Label } from "../security/labels.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import { lookUpModel } from "../services/model-lookup.ts";
import type { RunInput } from "../session-store/run-input.ts";
import { boundedInput } from "../session-store/run-request.ts";
import {
  type AnnouncementTarget,
  isAtWork,
  type ModelOverride,
  type Subagent,
  withTask,
} from "../session-store/subagent.ts";
import { findSubagentRow, openSubagents, type SubagentRow, saveSubagent } from "../session-store/subagent-rows.ts";
import type { CallRef, ChildSummary, SpawnableAgent, SpawnedChild, SpawnRequest } from "../tools/sessions-port.ts";
import { callName, maySpawn } from "../turn/lineage.ts";
import { systemSender } from "../turn/principal.ts";
import type { SessionCaller } from "./find-session.ts";
import { findSubagent, listedSubagents, subagentView } from "./find-subagent.ts";
import type { SubagentsDeps } from "./subagents-deps.ts";

const MAX_LABEL_CHARS = 60;

/**
 * Starts a sub-agent: it is stored first, then sent its task. A repeated call is the same sub-agent.
 * @throws Error that names the setting where it is not allowed
 */
export async function spawn(request: SpawnRequest, call: CallRef, caller: SessionCaller): Promise<SpawnedChild> {
  const { subagents, deps } = caller;
  const { store, fence, now, changed } = deps;
  const helper = agentToStart(request.agentId, caller);
  const instructor = await instructorFor(call, caller);
  const { runId, askedBy, announceTo, maxChildren } = instructor;
  const key = `agent:${helper.id}:subagent:${askedBy}`;
  const objectName = await objectNameOf(key);
  const subagent = {
    agentId: helper.id,
    label: subagentLabel(request.label ?? request.task.split("\n", 1)[0] ?? ""),
    askedBy,
    modelOverride: requestedModel(request, helper, caller),
    timeoutSeconds: request.runTimeoutSeconds ?? helper.subagents.runTimeoutSeconds ?? helper.defaults.timeoutSeconds,
    announceTo,
  };
  fence.write(() => {
    if (findSubagentRow(store, key) !== undefined) return;
    call.signal.throwIfAborted();
    requireFreeSlot(maxChildren, deps);
    const self = { ...subagent, childRunId: newRunId(objectName, now()), startedAt: now() };
    saveSubagent(store, {
      key,
      runId,
      subagent: withTask(self, messageFor(self, request.task, instructor, deps), now()),
    });
  });
  changed();
  await subagents.watch.sync(key);
  const stored = findSubagentRow(store, key)?.subagent;
  if (stored === undefined) throw new Error("The sub-agent could not be stored.");
  return { sessionKey: key, runId: stored.childRunId, hasBegun: stored.phase.status !== "starting" };
}

/**
 * Sends a sub-agent another message: it is stored first. A repeated call is the same message.
 * @throws Error with the reason where it cannot be sent
 */
export async function steer(
  which: string,
  message: string,
  call: CallRef,
  caller: SessionCaller,
): Promise<ChildSummary> {
  const { subagents, deps } = caller;
  const instructor = await instructorFor(call, caller);
  const { key } = deps.fence.write(() => {
    call.signal.throwIfAborted();
    return instructSubagent(which, message, instructor, deps);
  });
  deps.changed();
  await subagents.watch.sync(key);
  const row = findSubagentRow(deps.store, key);
  if (row === undefined) throw new Error("The sub-agent is not there any more.");
  return subagentView(row);
}

async function instructorFor({ callId }: CallRef, caller: SessionCaller): Promise<Instructor> {
  const { run, agent } = caller;
  const { model, thinking } = run.journal.state;
  const modelOverride = { ...(model !== undefined && { model }), ...(thinking && { thinking }) };
  const { timeoutSeconds } = agent.defaults;
  const { owner, sender } = run.principal;
  return {
    runId: run.row.id,
    askedBy: await callName(run, caller.deps.session().key, callId),
    announceTo: { target: run.row.target, owner, sender, modelOverride, timeoutSeconds },
    maxChildren: agent.subagents.maxChildren,
    labels: labelsInView(run.journal.context()),
  };
}

/** The agents that a run may start, its own first. */
export function spawnableAgents({ agent, deps }: Pick<SessionCaller, "agent" | "deps">): SpawnableAgent[] {
  const { config } = deps.services();
  const { allowAgents } = agent.subagents;
  const isAllowed = (id: string) => id !== agent.id && (allowAgents.includes("*") || allowAgents.includes(id));
  const others = agentIds(config).filter(isAllowed);
  return [agent, ...others.map((id) => agentOf(config, id))].map(({ id, name }) => ({ id, ...(name && { name }) }));
}

function agentToStart(agentId: string | undefined, { agent, deps }: SessionCaller): Agent {
  if (!maySpawn(deps.session(), agent)) {
    const limit = `agents.defaults.subagents.maxSpawnDepth is ${agent.subagents.maxSpawnDepth}`;
    throw new Error(`No sub-agents can be started from here: ${limit}.`);
  }
  const allowed = spawnableAgents({ agent, deps }).map(({ id }) => id);
  const wanted = agentId ?? agent.id;
  if (allowed.includes(wanted)) return agentOf(deps.services().config, wanted);
  throw new Error(`agentId: '${wanted}' cannot be started; subagents.allowAgents leaves ${allowed.join(", ")}.`);
}

function requestedModel(
  { model, thinking }: SpawnRequest,
  { subagents }: Agent,
  { deps }: SessionCaller,
): ModelOverride {
  const wanted = model ?? subagents.model;
  const found = wanted === undefined ? undefined : lookUpModel(deps.services, wanted);
  if (found?.kind === "none") throw new Error(`model: ${found.problem}`);
  const level = thinking ?? subagents.thinking;
  return { ...(found && { model: found.ref }), ...(level && { thinking: level }) };
}

function subagentLabel(text: string): string {
  return head(sanitizeForPrompt(text).trim(), MAX_LABEL_CHARS) || "sub-agent";
}

/** The run that gives a sub-agent a task. */
export interface Instructor {
  /** Stopping this run stops the sub-agent. */
  runId: string;
  /** Name of the call; the same name again is a repetition. */
  askedBy: string;
  announceTo: AnnouncementTarget;
  maxChildren: number;
  /** Where words come from that the instructing run has read. */
  labels?: readonly Label[];
}

/** A sub-agent without its current task. */
export type NewSubagent = Omit<Subagent, "phase" | "task">;

/**
 * Gives a sub-agent another task, within the fence: an active one receives it at once, an ended one starts again.
 * @throws IsopodError with the reason where it cannot be given
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
  const { key, subagent } = row;
  if (subagent.askedBy === instructor.askedBy) return row;
  if (subagent.phase.status === "starting")
    throw new IsopodError("conflict", "It has not begun yet. Try again in a moment.");
  if (subagent.phase.status === "stopping") throw new IsopodError("conflict", "It is being stopped.");
  if (!isAtWork(subagent)) requireFreeSlot(instructor.maxChildren, deps);
  const { askedBy, announceTo } = instructor;
  const self = {
    ...subagent,
    askedBy,
    announceTo,
    childRunId: newRunId(objectNameOfRun(subagent.childRunId) ?? "", now()),
  };
  const runId = isAtWork(subagent) ? row.runId : instructor.runId;
  const next = { key, runId, subagent: withTask(self, messageFor(self, message, instructor, deps), now()) };
  saveSubagent(store, next);
  return next;
}

/** The input of a sub-agent's run, with the rights of the run that instructs it. */
export function messageFor(
  subagent: NewSubagent,
  text: string,
  { runId, announceTo, labels = [] }: Instructor,
  { session }: SubagentsDeps,
): RunInput {
  const { key, settings } = session();
  const spawned = { lineage: [key, ...(settings.spawned?.lineage ?? [])], label: subagent.label };
  return boundedInput({
    text,
    sender: systemSender(announceTo),
    ...(labels.length > 0 && { labels }),
    ...subagent.modelOverride,
    timeoutSeconds: subagent.timeoutSeconds,
    origin: { kind: "spawn", byRunId: runId, spawned, ...(announceTo.target && { people: announceTo.target }) },
  });
}

/** @throws IsopodError where the maximum of active sub-agents is reached */
export function requireFreeSlot(maxChildren: number, { store }: SubagentsDeps): void {
  const count = openSubagents(store).length;
  if (count < maxChildren) return;
  const limit = `agents.defaults.subagents.maxChildren is ${maxChildren}`;
  throw new IsopodError("conflict", `${count} sub-agents are at work, and ${limit}. Wait for one to end, or stop one.`);
}
