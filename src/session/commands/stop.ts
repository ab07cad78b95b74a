import type { ImmediateCommand } from "./command.ts";

/** `/stop`: stops the run at work and those that wait. */
export const stop: ImmediateCommand = {
  kind: "immediate",
  name: "stop",
  summary: "Stop what I am doing, and what waits",
  usage: "/stop",
  run(_args, session) {
    const stopped = session.stopAll();
    if (stopped === 0) return "Nothing was running.";
    return stopped === 1 ? "Stopped." : `Stopped ${stopped} runs.`;
  },
};
