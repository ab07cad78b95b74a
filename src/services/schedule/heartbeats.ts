import { heartbeatOf } from "../../config/agents.ts";
import { IsopodError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { weekdayTime } from "../../lib/zone.ts";
import { usdOf } from "../../models/price.ts";
import { nextHeartbeat } from "../../schedule/heartbeat-times.ts";
import { addWakeText, findEntry, saveEntry } from "../../schedule/schedule-store.ts";
import { heartbeatEntryId, newHeartbeatEntry, type ScheduleEntry } from "../../schedule/slots.ts";
import type { Label } from "../../security/labels.ts";
import type { Config } from "../services.ts";
import { type JobsDeps, type JobsScope, startNow } from "./jobs.ts";

/** The heartbeat of an agent as people see it. */
export interface HeartbeatView {
  agentId: string;
  /** `none`: the configuration has no block for it. */
  state: "on" | "off" | "none";
  every: string | null;
  /** ISO 8601, and local. */
  nextAt: string | null;
  next: string | null;
  zone: string;
  lastAt: string | null;
  lastStatus: ScheduleEntry["lastStatus"];
  lastReason: string | null;
  lastRunId: string | null;
  failures: number;
  /** How many of its runs have ended, and what they have cost, in US dollars. */
  runs: number;
  costUsd: number;
}

/** The heartbeat of an agent. */
export async function showHeartbeat(config: Config, scope: JobsScope, { database }: JobsDeps): Promise<HeartbeatView> {
  const { agentId, zone } = scope;
  const block = heartbeatOf(config, agentId);
  const row = await findEntry(database, heartbeatEntryId(agentId));
  const nextAt = block === undefined || row?.isOff ? null : (row?.dueAt ?? null);
  return {
    agentId,
    state: block === undefined ? "none" : row?.isOff ? "off" : "on",
    every: block?.every ?? null,
    nextAt: nextAt === null ? null : new Date(nextAt).toISOString(),
    next: nextAt === null ? null : weekdayTime(nextAt, zone),
    zone,
    lastAt: row?.lastSlotAt == null ? null : new Date(row.lastSlotAt).toISOString(),
    lastStatus: row?.lastStatus ?? null,
    lastReason: row?.lastReason ?? null,
    lastRunId: row?.lastRunId ?? null,
    failures: row?.failures ?? 0,
    runs: row?.runs ?? 0,
    costUsd: usdOf(row?.costMicros ?? 0),
  };
}

/** What a heartbeat is woken for. */
export interface WakeRequest {
  /** The same id is the same text. */
  id?: string | undefined;
  text?: string | undefined;
  labels?: readonly Label[];
  mode: "now" | "next-heartbeat";
}

/**
 * Lets an agent's heartbeat run at once, or keeps a text for its next one; words from outside have their labels.
 * @throws IsopodError `not_configured` where the agent has none
 */
export async function wakeHeartbeat(
  config: Config,
  { agentId }: JobsScope,
  { id, text, labels, mode }: WakeRequest,
  deps: JobsDeps,
): Promise<void> {
  if (heartbeatOf(config, agentId) === undefined) throw noHeartbeat(agentId);
  const now = deps.now();
  if (text !== undefined)
    await addWakeText(deps.database, { id: id ?? newId("wak", now), agentId, text, labels, at: now });
  if (mode === "next-heartbeat") return;
  if (!(await startNow(heartbeatEntryId(agentId), deps))) {
    await saveEntry(deps.database, newHeartbeatEntry(agentId, now));
    await startNow(heartbeatEntryId(agentId), deps);
  }
}

/** Switches an agent's heartbeat off or on again, until the next time. @throws IsopodError `not_configured` */
export async function switchHeartbeat(
  config: Config,
  { agentId, zone }: JobsScope,
  isOn: boolean,
  { database, now }: JobsDeps,
): Promise<void> {
  const block = heartbeatOf(config, agentId);
  if (block === undefined) throw noHeartbeat(agentId);
  const row = (await findEntry(database, heartbeatEntryId(agentId))) ?? newHeartbeatEntry(agentId, now());
  const dueAt = isOn ? (nextHeartbeat(block, agentId, zone, now()) ?? null) : null;
  await saveEntry(database, { ...row, isOff: !isOn, dueAt, readyAt: dueAt, updatedAt: now() });
}

function noHeartbeat(agentId: string): IsopodError {
  return new IsopodError(
    "not_configured",
    `The agent '${agentId}' has no heartbeat`,
    'Give it one: agents.defaults.heartbeat, such as {"every": "30m"}.',
  );
}
