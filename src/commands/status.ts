import type { ImmediateCommand } from "./command.ts";
import { statusLines } from "./status-card.ts";

/** `/status`: what the session is and does. */
export const status: ImmediateCommand = {
  kind: "immediate",
  name: "status",
  summary: "Show what I am doing, with which model, and what it has cost",
  usage: "/status",
  run(_args, session) {
    return statusLines(session.status(), session.queuePolicy(), session.totals()).join("\n");
  },
};
