import { labelsInView } from "../models/view-labels.ts";
import type { ProcessesPort } from "../tools/process.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import type { TurnContext } from "../turn/turn-context.ts";
import { MAX_RUNNING, type Processes } from "./processes.ts";

const TOO_MANY = `${MAX_RUNNING} commands run in the background, and more may not: wait for the end of one, or kill one with \`process\`.`;
const UNATTENDED = "The clock or a request from outside has started this turn, and it waits for its commands.";

/** The commands in the background of a run's session. */
export function processesPort(run: ActiveRun, context: TurnContext, processes: Processes): ProcessesPort {
  const { agent, principal } = context;
  const isAttended = context.origin.isAttended;
  return {
    list: () => processes.list(),
    log: (id) => processes.output(id),
    kill: (id) => processes.kill(id),
    refusal: () => (isAttended ? (processes.isFull ? TOO_MANY : undefined) : UNATTENDED),
    take(command) {
      const { model, thinking } = run.journal.state;
      const announceTo = {
        ...{ target: run.row.target, owner: principal.owner, sender: principal.sender },
        timeoutSeconds: agent.defaults.timeoutSeconds,
        modelOverride: { ...(model !== undefined && { model }), ...(thinking && { thinking }) },
      };
      const labels = labelsInView(run.journal.context());
      return processes.take(command, { runId: run.row.id, labels, ...(agent.exec?.notifyOnExit && { announceTo }) });
    },
  };
}
