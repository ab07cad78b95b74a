import type { ImmediateCommand } from "./command.ts";

/** `/status`: what the session is and does. */
export const status: ImmediateCommand = {
  kind: "immediate",
  name: "status",
  summary: "Show what I am doing",
  usage: "/status",
  run(_args, session) {
    const { sessionKey, model, active, waiting, messages } = session.status();
    const { mode } = session.queuePolicy();
    const seconds = active && Math.round(active.forMs / 1000);
    const doing =
      active === undefined
        ? "idle"
        : `${active.status === "running" ? "at work" : "waiting for your word"} for ${seconds} s`;
    return [
      `Session \`${sessionKey}\`: ${doing}.`,
      `Model: \`${model}\``,
      `Queue: ${mode}, ${waiting} waiting`,
      `Transcript: ${messages} messages`,
    ].join("\n");
  },
};
