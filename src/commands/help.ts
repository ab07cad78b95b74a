import { findSkillCommand } from "../skills/command-names.ts";
import { byName } from "../skills/gate.ts";
import type { SkillsView } from "../turn/skills/resolve-skill-command.ts";
import { oneLine, skillCommandLine } from "../turn/skills/resolve-skill-command.ts";
import type { Command, CommandPort, ImmediateCommand, QueuedCommand } from "./command.ts";

/** Most skill commands in the list; `/skill` shows more. */
const MAX_SKILLS = 40;

/** `/help [name]`: lists the commands, or shows the syntax of one. */
export function helpOn(commands: () => readonly Command[]): ImmediateCommand {
  return {
    kind: "immediate",
    name: "help",
    summary: "List the commands, or show how to use one",
    usage: "/help [command]",
    run(args, session) {
      const name = args.replace(/^[/／]/, "").toLowerCase();
      if (name === "") return [...commands().map(line), ...skillLines(session)].join("\n");
      const command = commands().find((candidate) => candidate.name === name);
      if (command !== undefined) return `${command.summary}.\n\`${command.usage}\``;
      const skill = findSkillCommand(session.skills().commands, name);
      return skill === undefined ? `There is no command \`/${name}\`.` : skillCommandLine(skill);
    },
  };
}

function line({ name, summary }: Command): string {
  return `/${name}: ${summary}`;
}

function skillLines(session: Pick<CommandPort, "skills">): string[] {
  const { commands } = session.skills();
  if (commands.length === 0) return [];
  const more = commands.length > MAX_SKILLS ? [`… and ${commands.length - MAX_SKILLS} more: /skill`] : [];
  return ["", "**Skills**", ...commands.slice(0, MAX_SKILLS).map(skillCommandLine), ...more];
}

/** `/whoami`: the id of the sender, the channel and the session. */
export const whoami: ImmediateCommand = {
  kind: "immediate",
  name: "whoami",
  summary: "Show your user id, channel and session",
  usage: "/whoami",
  run(_args, session) {
    const { sender, target } = session.asker();
    const name = sender?.name === undefined ? "" : ` (${sender.name})`;
    const place = target === null ? "the API or the page" : `${target.channel}, account \`${target.accountId}\``;
    const where = target === null ? "" : `\nConversation: ${target.kind} \`${target.conversationId}\``;
    return [
      `You are \`${sender?.id ?? "unknown"}\`${name}, an owner.`,
      `You write through ${place}.${where}`,
      `Session: \`${session.status().sessionKey}\``,
    ].join("\n");
  },
};

/** Most skills in the list, most unused skills, and longest reason in characters. */
const MAX_LISTED = 100;
const MAX_LEFT_OUT = 30;
const MAX_REASON_CHARS = 200;

/** `/skill`: lists the skills. With a name, it is a message to the agent that runs that skill. */
export const skill: QueuedCommand = {
  kind: "queued",
  name: "skill",
  summary: "Run a skill, or list the skills",
  usage: "/skill [name] [instructions]",
  isMessage: (args) => args !== "",
  run: async (_args, port) => shown(await port.skills()),
};

function shown({ commands, others, leftOut }: SkillsView): string {
  const left = leftOut.filter(({ code }) => code !== "shadowed").toSorted(byName);
  return [
    commands.length === 0 ? "There are no skills with a command." : "**Skills**",
    ...commands.slice(0, MAX_LISTED).map(skillCommandLine),
    ...more(commands.length - MAX_LISTED),
    ...(others.length === 0 ? [] : ["", `Used by the agent only: ${others.map((name) => `\`${name}\``).join(", ")}`]),
    ...(left.length === 0 ? [] : ["", "**Not used**"]),
    ...left.slice(0, MAX_LEFT_OUT).map(({ name, reason }) => `\`${name}\`: ${oneLine(reason, MAX_REASON_CHARS)}`),
    ...more(left.length - MAX_LEFT_OUT),
  ].join("\n");
}

function more(count: number): string[] {
  return count > 0 ? [`… and ${count} more`] : [];
}
