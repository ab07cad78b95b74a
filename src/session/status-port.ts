import { readSessionTotals, readStatus } from "../commands/session-status.ts";
import { statusLines, timeLines } from "../commands/status.ts";
import { weekdayTime } from "../lib/zone.ts";
import type { Job } from "../schedule/job.ts";
import { listEntries } from "../schedule/schedule-store.ts";
import type { ScheduleEntry } from "../schedule/slots.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import { lookUpModel } from "../services/model-lookup.ts";
import { agentIn, type Services } from "../services/services.ts";
import type { Fence } from "../session-store/fence.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import { type SessionRow, saveSetting } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import type { StatusPort } from "../tools/session-status.ts";
import type { ActiveRun } from "../turn/active-run.ts";

/** Dependencies of `statusPort`. */
export interface StatusPortDeps {
  store: Store;
  fence: Fence;
  session(): SessionRow;
  services(): Services;
  policyFor(target: ActiveRun["row"]["target"]): QueuePolicy;
  database: D1Database;
  now(): number;
}

/** Most rows of the schedule that are read, and most slots that are told. */
const MAX_ENTRIES = 200;
const MAX_SLOTS = 3;

/** What runs next by the clock for the session's agent. */
async function nextSlots({ database, session, services }: StatusPortDeps): Promise<string[]> {
  const { agentId } = session();
  const zone = agentIn(services(), agentId).defaults.userTimezone ?? "UTC";
  const rows = await listEntries(database, { agentId, limit: MAX_ENTRIES });
  const due = rows
    .flatMap((row) => (row.dueAt === null || row.isOff ? [] : [{ ...row, dueAt: row.dueAt }]))
    .sort((a, b) => a.dueAt - b.dueAt)
    .slice(0, MAX_SLOTS);
  return due.map((row) => `Next: ${weekdayTime(row.dueAt, zone)} ${slotName(row)}`);
}

function slotName({ kind, job }: ScheduleEntry): string {
  return kind === "heartbeat" ? "heartbeat" : `job "${sanitizeForPrompt((job as Job).name)}"`;
}

/** The session status for a run's tools. Senders who are not owners see only the time and the model. */
export function statusPort({ row, principal, journal }: ActiveRun, deps: StatusPortDeps): StatusPort {
  const { store, fence, session, services, policyFor, now } = deps;
  return {
    sessionKey: session().key,
    async card() {
      const status = readStatus(store, session(), services(), now());
      const time = timeLines(now(), status.clock);
      const { model = status.model } = journal.state;
      if (!principal.owner) return [...time, `Model: ${model}`];
      const ofThisRun = model === status.model ? [] : [`Model of this run: ${model}`];
      const lines = statusLines(status, policyFor(row.target), readSessionTotals(store, session(), services(), now()));
      return [...time, ...ofThisRun, ...lines, ...(await nextSlots(deps))];
    },
    setModel(word) {
      const found = word === undefined ? undefined : lookUpModel(services, word);
      if (found?.kind === "none") throw new Error(found.problem);
      fence.write(() => saveSetting(store, "model", found?.ref));
      return found?.ref ?? services().modelRefOf(agentIn(services(), session().agentId));
    },
  };
}
