import { byName } from "../skills/gate.ts";
import { inLine, type SkillsView, skillLine } from "../turn/skills/skills-view.ts";
import type { QueuedCommand } from "./command.ts";

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
    ...commands.slice(0, MAX_LISTED).map(skillLine),
    ...more(commands.length - MAX_LISTED),
    ...(others.length === 0 ? [] : ["", `Used by the agent only: ${others.map((name) => `\`${name}\``).join(", ")}`]),
    ...(left.length === 0 ? [] : ["", "**Not used**"]),
    ...left.slice(0, MAX_LEFT_OUT).map(({ name, reason }) => `\`${name}\`: ${inLine(reason, MAX_REASON_CHARS)}`),
    ...more(left.length - MAX_LEFT_OUT),
  ].join("\n");
}

function more(count: number): string[] {
  return count > 0 ? [`… and ${count} more`] : [];
}
