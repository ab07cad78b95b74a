import { useEffect, useRef } from "preact/hooks";
import type { Server } from "../client/http.ts";
import type { Heartbeat, JobView } from "../client/wire.ts";
import { EntryList } from "./entry-list.tsx";
import { texts } from "./language.ts";
import { deadLettersOf, heartbeatsOf, jobsOf, removeJob, runJob, switchJob, wakeHeartbeat } from "./schedule-client.ts";

/** The properties of the schedule dialog. */
export interface ScheduleDialogProps {
  server: Server;
  agentId: string;
  onClose(): void;
}

/** A dialog with what runs without being asked: the agent's heartbeat, and its jobs and reminders. */
export function ScheduleDialog({ server, agentId, onClose }: ScheduleDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="inspector entries" ref={dialog} onClose={onClose} aria-labelledby="schedule-title">
      <header>
        <h2 id="schedule-title">{texts.schedule}</h2>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          {texts.close}
        </button>
      </header>
      <EntryList
        title={texts.jobs}
        about={texts.jobsHow}
        nothing={texts.noJobs}
        load={() => jobsOf(server, agentId)}
        keyOf={({ name, id }) => `${name} (${id})`}
        acts={[
          { words: texts.runNow, run: (job) => runJob(server, job) },
          { words: texts.pause, isFor: ({ enabled }) => enabled, run: (job) => switchJob(server, job) },
          { words: texts.goOn, isFor: ({ enabled }) => !enabled, run: (job) => switchJob(server, job) },
          { words: texts.remove, run: (job) => removeJob(server, job) },
        ]}
        show={(job) => <Line name={job.name} next={job.enabled ? job.next[0] : texts.paused} last={job} />}
      />
      <EntryList
        title={texts.heartbeat}
        about={texts.heartbeatHow}
        nothing={texts.noHeartbeat}
        load={() => heartbeatsOf(server, agentId)}
        keyOf={({ agentId }) => agentId}
        acts={[{ words: texts.runNow, run: (heartbeat) => wakeHeartbeat(server, heartbeat) }]}
        show={(heartbeat) => (
          <Line
            name={heartbeat.every ?? ""}
            next={heartbeat.state === "off" ? texts.paused : (heartbeat.next ?? undefined)}
            last={heartbeat}
          />
        )}
      />
      <EntryList
        title={texts.deadLetters}
        about={texts.deadLettersHow}
        nothing={texts.noDeadLetters}
        load={() => deadLettersOf(server)}
        keyOf={({ id }) => id}
        show={({ at, body }) => (
          <p>
            <b>{new Date(at).toLocaleString(document.documentElement.lang)}</b> <small>{body}</small>
          </p>
        )}
      />
    </dialog>
  );
}

interface LineProps {
  name: string;
  /** When it runs next, or that it is paused. */
  next: string | undefined;
  last: Pick<JobView | Heartbeat, "lastStatus" | "lastReason" | "runs" | "costUsd">;
}

function Line({ name, next, last: { lastStatus, lastReason, runs, costUsd } }: LineProps) {
  const ended = lastStatus === null ? [] : [`${texts.lastTime}: ${lastStatus}`, ...(lastReason ? [lastReason] : [])];
  const cost = runs === 0 ? [] : [texts.runsCost(runs, `$${costUsd.toFixed(4)}`)];
  return (
    <p>
      <b>{name}</b> {next} <small>{[ended.join(": "), ...cost].filter((part) => part !== "").join(" · ")}</small>
    </p>
  );
}
