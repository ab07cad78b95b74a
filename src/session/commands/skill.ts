import type { ImmediateCommand } from "./command.ts";

/** `/skill`: there are none to be run, and whoever asks is told so instead of a model guessing. */
export const skill: ImmediateCommand = {
  kind: "immediate",
  name: "skill",
  summary: "Run a skill",
  usage: "/skill [name]",
  unlisted: true,
  run: () => "This agent has no skills, so there is none to run.",
};
