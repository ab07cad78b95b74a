import type { SessionLocation } from "../config/session-schema.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { Totals } from "../session-store/totals.ts";
import { clockText, shortClockText } from "../turn/clock-text.ts";
import { tokenText, totalText } from "../turn/output/amount-text.ts";
import type { ImmediateCommand, QueuedCommand } from "./command.ts";
import type { SessionStatus } from "./session-status.ts";

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

/** The status of a session, line by line, as Markdown. */
export function statusLines(status: SessionStatus, queue: QueuePolicy, totals: Totals): string[] {
  const { sessionKey, location, since, clock, preferences, waiting, compactions, subagents } = status;
  const { thinking, reasoning, verbose } = preferences;
  return [
    `Session \`${sessionKey}\`: ${doing(status)}.`,
    `Location: ${locationText(location)}`,
    modelText(status),
    `Thinking: ${thinking}, visible reasoning: ${reasoning}, visible tool calls: ${verbose}`,
    `Context: ${contextText(status)}, compacted ${times(compactions)}`,
    `Queue: ${queue.mode}, ${waiting} waiting`,
    ...(subagents === 0 ? [] : [`Sub-agents running: ${subagents}`]),
    `This conversation, since ${shortClockText(since, clock.zone, clock.format)}: ${totalText(totals.conversation)}`,
    `Today: ${totalText(totals.today)}`,
  ];
}

/** The date and time, in the user's zone and in UTC. */
export function timeLines(now: number, { zone, format }: SessionStatus["clock"]): string[] {
  return [`Time: ${clockText(now, zone, format)}`, `UTC: ${new Date(now).toISOString()}`];
}

function locationText(location: SessionLocation): string {
  if (location === "caller") return "near its first caller";
  return location === "eu"
    ? "within the European Union (the session's object, not D1 and R2)"
    : `region \`${location}\``;
}

function modelText({ model, ownModel, modelProblem }: SessionStatus): string {
  const own = model === ownModel ? "" : ` for this session (agent default: \`${ownModel}\`)`;
  return `Model: \`${model}\`${own}${modelProblem === undefined ? "" : `. It cannot be used: ${modelProblem}`}`;
}

function contextText({ context: { tokens, window } }: SessionStatus): string {
  if (window === undefined) return `${tokenText(tokens)} tokens`;
  return `${tokenText(tokens)} of ${tokenText(window)} tokens (${Math.round((100 * tokens) / window)} %)`;
}

function doing({ active }: SessionStatus): string {
  if (active === undefined) return "idle";
  const seconds = Math.round(active.forMs / 1000);
  return `${active.status === "running" ? "running" : "waiting for approval"} for ${seconds} s`;
}

function times(count: number): string {
  if (count === 0) return "never";
  return count === 1 ? "once" : `${count} times`;
}

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
