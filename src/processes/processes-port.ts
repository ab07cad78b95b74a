import { labelsInView } from "../models/view-labels.ts";
import type { Store } from "../session-store/store.ts";
import type { ProcessesPort } from "../tools/process.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import { nestedOrigins } from "../turn/lineage.ts";
import type { TurnContext } from "../turn/turn-context.ts";
import { MAX_RUNNING, type Processes } from "./processes.ts";

const TOO_MANY = `${MAX_RUNNING} commands run in the background, and more may not: wait for the end of one, or kill one with \`process\`.`;
const UNATTENDED = "The clock or a request from outside has started this turn, and it waits for its commands.";
const AWAITED =
  "Another session waits for the reply of this turn, and would not get what comes later: it waits for its commands.";

/** The commands in the background of a run's session. */
export function processesPort(run: ActiveRun, context: TurnContext, processes: Processes, store: Store): ProcessesPort {
  const { agent, principal } = context;
  const refusal = () => {
    if (!context.origin.isAttended) return UNATTENDED;
    // More may be merged into the run while it works.
    if (nestedOrigins(run, store).length > 0) return AWAITED;
    return processes.isFull ? TOO_MANY : undefined;
  };
  return {
    list: () => processes.list(),
    log: (id) => processes.output(id),
    kill: (id) => processes.kill(id),
    refusal,
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
