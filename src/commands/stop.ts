import type { ImmediateCommand } from "./command.ts";

/** `/stop`: stops the current run, waiting runs and all sub-agents. */
export const stop: ImmediateCommand = {
  kind: "immediate",
  name: "stop",
  summary: "Stop the current run, waiting runs and sub-agents",
  usage: "/stop",
  run(_args, session) {
    const { runs, subagents } = session.stopAll();
    if (runs === 0 && subagents === 0) return "Nothing was running.";
    if (runs === 1 && subagents === 0) return "Stopped.";
    return `Stopped ${[...count(runs, "run"), ...count(subagents, "sub-agent")].join(" and ")}.`;
  },
};

function count(number: number, what: string): string[] {
  return number === 0 ? [] : [`${number} ${what}${number === 1 ? "" : "s"}`];
}
