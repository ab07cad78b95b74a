import { parseSpan } from "../tools/cron.ts";
import type { QueuedCommand } from "./command.ts";

const REMIND_USAGE = "/remind <when> <what>";
/** A span such as 2m or 1h30m, or an ISO 8601 time, with or without an offset. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** `/remind <when> <what>`: a reminder in this conversation. With another form of `when` it is a message to the agent. */
export const remind: QueuedCommand = {
  kind: "queued",
  name: "remind",
  summary: "Remind me here: in 2m, 1h30m, or at 2026-11-23T20:15",
  usage: REMIND_USAGE,
  isMessage: (args) => /\S\s+\S/.test(args) && readWhen(args) === undefined,
  async run(args, { schedule }) {
    const when = readWhen(args);
    if (when === undefined)
      return `Use \`${REMIND_USAGE}\`, such as \`/remind 2m tea\` or \`/remind 2026-11-23T20:15 tea\`.`;
    const { span, text } = when;
    const at = span === undefined ? when.at : new Date(schedule.now() + span).toISOString();
    const { time, zone } = await schedule.remind(at, text);
    return `I will remind you on ${time} (${zone}): ${text}`;
  },
};

function readWhen(args: string): { at: string; span: number | undefined; text: string } | undefined {
  const [, at = "", text = ""] = /^(\S+)\s+([\s\S]+)$/.exec(args.trim()) ?? [];
  const span = parseSpan(at);
  return text !== "" && (span !== undefined || ISO.test(at)) ? { at, span, text } : undefined;
}

/** `/jobs [run | pause | resume | remove <id>]`. */
export const jobs: QueuedCommand = {
  kind: "queued",
  name: "jobs",
  summary: "List reminders and jobs, run, pause or remove one",
  usage: "/jobs [run | pause | resume | remove <id>]",
  async run(args, { schedule }) {
    const [verb, id, ...rest] = args.split(/\s+/).filter((word) => word !== "");
    if (verb === undefined || (verb === "list" && id === undefined)) {
      const lines = await schedule.jobs();
      return lines.length === 0 ? "There are no reminders or jobs." : lines.join("\n");
    }
    if (id !== undefined && rest.length === 0) {
      if (verb === "run") return schedule.runJob(id).then(() => `Started: \`${id}\`.`);
      if (verb === "pause") return schedule.switchJob(id, false).then(() => `Paused: \`${id}\`.`);
      if (verb === "resume") return schedule.switchJob(id, true).then(() => `Goes on: \`${id}\`.`);
      if (verb === "remove") return schedule.removeJob(id).then(() => `Removed: \`${id}\`.`);
    }
    return "Use `/jobs`, `/jobs run <id>`, `/jobs pause <id>`, `/jobs resume <id>` or `/jobs remove <id>`.";
  },
};

/** `/heartbeat [on | off | now | status]`. */
export const heartbeat: QueuedCommand = {
  kind: "queued",
  name: "heartbeat",
  summary: "Show the heartbeat, switch it on or off, or let it run now",
  usage: "/heartbeat [on | off | now | status]",
  atOnce(args, { stopHeartbeat }) {
    if (args.trim().toLowerCase() === "off") stopHeartbeat();
  },
  async run(args, { schedule }) {
    const word = args.trim().toLowerCase();
    if (word === "on" || word === "off") await schedule.switchHeartbeat(word === "on");
    else if (word === "now") {
      await schedule.wakeHeartbeat();
      return "The heartbeat runs now.";
    } else if (word !== "" && word !== "status") return "Use `/heartbeat`, `/heartbeat on`, `off` or `now`.";
    return (await schedule.heartbeat()).join("\n");
  },
};
