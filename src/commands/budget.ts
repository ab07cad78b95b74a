import type { QueuedCommand } from "./command.ts";

/** `/budget`: the caps of this session and how much of each is used. */
export const budget: QueuedCommand = {
  kind: "queued",
  name: "budget",
  summary: "Show the budgets and how much is used",
  usage: "/budget",
  async run(_args, { budgets }) {
    const lines = await budgets();
    return lines.length === 0 ? "No budget is set. See `budgets` in the configuration." : lines.join("\n");
  },
};
