import { findSkillCommand } from "../skills/command-names.ts";
import { skillLine } from "../turn/skills/skills-view.ts";
import type { Command, CommandPort, ImmediateCommand } from "./command.ts";

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
      return skill === undefined ? `There is no command \`/${name}\`.` : skillLine(skill);
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
  return ["", "**Skills**", ...commands.slice(0, MAX_SKILLS).map(skillLine), ...more];
}
