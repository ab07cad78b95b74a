import type { QueuedCommand } from "./command.ts";

/** `/budget`: what may be spent, and how much of it is left. */
export const budget: QueuedCommand = {
  kind: "queued",
  name: "budget",
  summary: "Show what I may spend, and how much of it is used",
  usage: "/budget",
  async run(_args, { budgets }) {
    const lines = await budgets();
    return lines.length === 0 ? "Nothing is capped. See `budgets` in the configuration." : lines.join("\n");
  },
};
