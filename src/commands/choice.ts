import type { CommandName } from "../config/command-names.ts";
import type { Preferences } from "../session-store/preferences.ts";
import type { ImmediateCommand } from "./command.ts";

/** A session preference with a fixed list of values. */
export interface Choice<Key extends keyof Preferences> {
  key: Key;
  name: CommandName;
  summary: string;
  /** Its name at the start of the answer. */
  label: string;
  values: readonly Preferences[Key][];
}

/** A command that shows a preference, sets it, or restores the configured value with `default`. */
export function choiceCommand<Key extends keyof Preferences>(choice: Choice<Key>): ImmediateCommand {
  const { key, name, summary, label, values } = choice;
  const usage = `/${name} [${values.join(" | ")} | default]`;
  return {
    kind: "immediate",
    name,
    summary,
    usage,
    run(args, session) {
      const word = args.toLowerCase();
      const value = values.find((candidate) => candidate === word);
      if (value !== undefined) session.set(key, value);
      else if (word === "default") session.set(key, undefined);
      else if (word !== "") return `Use \`${usage}\`.`;
      return `${label}: **${session.preferences()[key]}**.`;
    },
  };
}
