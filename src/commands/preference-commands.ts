import type { CommandName } from "../config/command-names.ts";
import type { Preferences } from "../session-store/session-settings.ts";
import { MAX_COUNTED } from "../session-store/totals.ts";
import { totalText } from "../turn/output/amount-text.ts";
import type { ImmediateCommand } from "./command.ts";

/** A session preference with a fixed list of values. */
export interface PreferenceChoice<Key extends keyof Preferences> {
  key: Key;
  name: CommandName;
  summary: string;
  /** Its name at the start of the answer. */
  label: string;
  values: readonly Preferences[Key][];
}

/** A command that shows a preference, sets it, or restores the configured value with `default`. */
export function preferenceCommand<Key extends keyof Preferences>(choice: PreferenceChoice<Key>): ImmediateCommand {
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

/** `/think`: the thinking level of the model. */
export const think = preferenceCommand({
  key: "thinking",
  name: "think",
  summary: "Show or set the thinking level",
  label: "Thinking",
  values: ["off", "minimal", "low", "medium", "high"],
});

/** `/reasoning`: whether people see the model's reasoning. */
export const reasoning = preferenceCommand({
  key: "reasoning",
  name: "reasoning",
  summary: "Show or hide the model's reasoning",
  label: "Visible reasoning",
  values: ["off", "on", "stream"],
});

/** `/verbose`: whether people see tool calls as they happen. */
export const verbose = preferenceCommand({
  key: "verbose",
  name: "verbose",
  summary: "Show or hide tool calls",
  label: "Visible tool calls",
  values: ["off", "on", "full"],
});

const footer = preferenceCommand({
  key: "usage",
  name: "usage",
  summary: "Show tokens and cost, or set the usage line of replies",
  label: "Usage line in replies",
  values: ["off", "tokens", "full"],
});

/** `/usage [off | tokens | full | default]`: tokens and estimated cost, and the usage line below each reply. */
export const usage: ImmediateCommand = {
  ...footer,
  run(args, session) {
    if (args !== "") return footer.run(args, session);
    const { conversation, today, all, isWhole, byModel } = session.totals();
    const whole = isWhole ? "This session in total" : `The last ${MAX_COUNTED} runs`;
    return [
      `This conversation: ${totalText(conversation)}`,
      `Today: ${totalText(today)}`,
      `${whole}: ${totalText(all)}`,
      ...byModel.map(({ model, total }) => `- \`${model}\`: ${totalText(total)}`),
      footer.run("", session),
    ].join("\n");
  },
};
