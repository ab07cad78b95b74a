import type { SchedulePort } from "../commands/schedule-port.ts";
import { IsopodError } from "../lib/errors.ts";
import { weekdayTime } from "../lib/zone.ts";
import { showHeartbeat, switchHeartbeat, wakeHeartbeat } from "../services/schedule/heartbeats.ts";
import {
  createJob,
  findJob,
  type JobsDeps,
  type JobsScope,
  listJobs,
  removeJob,
  runJobNow,
  updateJob,
} from "../services/schedule/jobs.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import type { TurnContext } from "../turn/turn-context.ts";
import { deliveredHere, inSession } from "./jobs-port.ts";

/** The schedule of an agent, for a command. */
export function schedulePort(
  { row }: Pick<ActiveRun, "row">,
  { agent, session, services }: Pick<TurnContext, "agent" | "session" | "services">,
  deps: JobsDeps,
): SchedulePort {
  const zone = agent.defaults.userTimezone ?? "UTC";
  const scope: JobsScope = { agentId: agent.id, zone, by: `command:${session.key}` };
  const { config } = services;
  return {
    now: deps.now,
    async remind(at, text) {
      // The same command is the same job, however often it is carried out.
      const id = `job_${row.id.slice("run_".length, "run_".length + 26)}`;
      const job = {
        name: text.replace(/\s+/g, " ").slice(0, 60).trim(),
        schedule: { kind: "at", at },
        payload: { kind: "systemEvent", text },
        ...deliveredHere(row.target),
        ...inSession(session.key),
      };
      const made = await createJob(job, scope, deps, id).catch((error: unknown) => {
        if (error instanceof IsopodError && error.code === "conflict") return findJob(id, scope, deps);
        throw error;
      });
      return { time: made.next[0] ?? at, zone: made.zone };
    },
    async jobs() {
      return (await listJobs(scope, deps)).map(({ id, name, enabled, next, lastStatus, lastReason }) => {
        const when = !enabled ? "paused" : (next[0] ?? "done");
        const last =
          lastStatus === null ? "" : ` · last: ${lastStatus}${lastReason === null ? "" : ` (${lastReason})`}`;
        return `- \`${id}\` ${name} · ${when}${last}`;
      });
    },
    runJob: (id) => runJobNow(id, scope, deps),
    switchJob: async (id, isOn) => void (await updateJob(id, { enabled: isOn }, scope, deps)),
    removeJob: (id) => removeJob(id, scope, deps),
    switchHeartbeat: (isOn) => switchHeartbeat(config, scope, isOn, deps),
    wakeHeartbeat: () => wakeHeartbeat(config, scope, { mode: "now" }, deps),
    async heartbeat() {
      const shown = await showHeartbeat(config, scope, deps);
      if (shown.state === "none") return ["This agent has no heartbeat. Give it one: agents.defaults.heartbeat."];
      const last =
        shown.lastAt === null ? [] : [`Last: ${weekdayTime(Date.parse(shown.lastAt), zone)}, ${lastWords(shown)}`];
      const next = shown.next === null ? "none" : `${shown.next} (${zone})`;
      return [`Heartbeat: ${shown.state}, every ${shown.every ?? ""}.`, `Next: ${next}`, ...last];
    },
  };
}

function lastWords({ lastStatus, lastReason }: { lastStatus: string | null; lastReason: string | null }): string {
  const words = { dispatched: "nothing needed attention", ok: "said something", skipped: "left out", error: "failed" };
  const what = words[(lastStatus ?? "dispatched") as keyof typeof words] ?? lastStatus;
  return lastReason === null ? what : `${what}: ${lastReason}`;
}
