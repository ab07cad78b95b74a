import type { ImmediateCommand } from "./command.ts";
import { statusLines } from "./status-card.ts";

/** `/status`: what the session is doing, with which model, and what it has used. */
export const status: ImmediateCommand = {
  kind: "immediate",
  name: "status",
  summary: "Show the current run, model, context and cost",
  usage: "/status",
  run(_args, session) {
    return statusLines(session.status(), session.queuePolicy(), session.totals()).join("\n");
  },
};
