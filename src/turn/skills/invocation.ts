import { COMMAND_NAMES } from "../../config/command-names.ts";
import { nearestOf } from "../../lib/nearest.ts";
import { head } from "../../lib/text.ts";
import type { TypedSkill } from "../../session-store/messages.ts";
import { findSkillCommand, leadingName, type SkillCommand, skillCommands } from "../../skills/command-names.ts";
import type { LeftOut, Skill } from "../../skills/skill.ts";
import type { SkillSet } from "../../skills/skill-set.ts";
import type { SkillsView } from "./skills-view.ts";

/** Most characters of a word that is told back. */
const MAX_WORD_CHARS = 64;

/** What comes of a typed command: a skill with what was typed after it, or why there is none to be had, as Markdown. */
export type Invocation = { kind: "skill"; command: SkillCommand; args: string } | { kind: "refused"; reason: string };

/** The commands of the skills that a session may use. */
export function commandsOf({ eligible }: Pick<SkillSet, "eligible">): SkillCommand[] {
  return skillCommands(eligible, COMMAND_NAMES);
}

/** The skills of a session, as its commands show them. */
export function skillsView({ eligible, leftOut }: SkillSet): SkillsView {
  const others = eligible.filter(({ invocation }) => !invocation.userInvocable).map(({ name }) => name);
  return { commands: commandsOf({ eligible }), others, leftOut };
}

/** What a typed command calls on; undefined where it is a text like any other. */
export function invocationOf(typed: TypedSkill, set: SkillSet): Invocation | undefined {
  const commands = commandsOf(set);
  if (typed.kind === "skill") return named(typed.words, commands, set);
  const { name, args } = typed;
  const command = findSkillCommand(commands, name);
  if (command !== undefined) return { kind: "skill", command, args };
  const left = leftOutAs(name, set.leftOut);
  return left && refusal(left);
}

/** `/skill name args`: names may have several words. */
function named(words: string, commands: readonly SkillCommand[], { eligible, leftOut }: SkillSet): Invocation {
  const byName = leadingName(
    words,
    commands.flatMap(({ name, skill }) => [{ name }, { name: skill.name }]),
  );
  const command = byName && findSkillCommand(commands, byName.named.name);
  if (command !== undefined) return { kind: "skill", command, args: byName?.rest ?? "" };
  const closed = leadingName(words, eligible)?.named;
  if (closed !== undefined) return { kind: "refused", reason: notForPeople(closed) };
  const left = leadingName(words, leftOut)?.named;
  return left === undefined ? { kind: "refused", reason: unknown(words, commands, leftOut) } : refusal(left);
}

function leftOutAs(name: string, leftOut: readonly LeftOut[]): LeftOut | undefined {
  const found = leadingName(name, leftOut);
  return found?.rest === "" ? found.named : undefined;
}

function refusal({ name, reason }: LeftOut): Invocation {
  return { kind: "refused", reason: `The skill \`${name}\` cannot be used: ${reason}` };
}

function notForPeople({ name }: Skill): string {
  return `The skill \`${name}\` is not called on by people: I use it by myself where it fits. Tell me what you need.`;
}

function unknown(words: string, commands: readonly SkillCommand[], leftOut: readonly LeftOut[]): string {
  const [word = ""] = words.split(/\s/, 1);
  const names = [...commands.flatMap(({ name, skill }) => [name, skill.name]), ...leftOut.map(({ name }) => name)];
  const near = [...new Set(nearestOf(word, [...new Set(names)]))].map((name) => `\`${name}\``);
  const meant = near.length === 0 ? "" : ` Do you mean ${near.join(" or ")}?`;
  return `There is no skill \`${head(word, MAX_WORD_CHARS)}\`.${meant} \`/skill\` shows what there is.`;
}
