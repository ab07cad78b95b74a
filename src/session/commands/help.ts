import type { Command, ImmediateCommand } from "./command.ts";

/** `/help [name]`: what commands there are, or how one is typed. */
export function helpOn(commands: () => readonly Command[]): ImmediateCommand {
  return {
    kind: "immediate",
    name: "help",
    summary: "Show the commands",
    usage: "/help [command]",
    run(args) {
      const name = args.replace(/^[/／]/, "").toLowerCase();
      if (name === "") return commands().map(line).join("\n");
      const command = commands().find((candidate) => candidate.name === name);
      return command === undefined ? `There is no command \`/${name}\`.` : `${command.summary}.\n\`${command.usage}\``;
    },
  };
}

function line({ name, summary }: Command): string {
  return `/${name}: ${summary}`;
}
