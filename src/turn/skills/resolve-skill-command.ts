import { COMMAND_NAMES } from "../../config/command-names.ts";
import { nearestNames } from "../../lib/nearest.ts";
import { head } from "../../lib/text.ts";
import type { TypedSkill } from "../../session-store/messages.ts";
import { findSkillCommand, leadingName, type SkillCommand, skillCommands } from "../../skills/command-names.ts";
import type { LeftOut, Skill, SkillSet } from "../../skills/skill.ts";

/** Most characters of a typed word in a reply. */
const MAX_WORD_CHARS = 64;

/** A resolved skill command: the skill with its arguments, or why it cannot be used, as Markdown. */
export type ResolvedSkillCommand =
  | { kind: "skill"; command: SkillCommand; args: string }
  | { kind: "refused"; reason: string };

/** The commands of a session's usable skills. */
export function sessionSkillCommands({ eligible }: Pick<SkillSet, "eligible">): SkillCommand[] {
  return skillCommands(eligible, COMMAND_NAMES);
}

/** The skills of a session, as commands show them. */
export function skillsView({ eligible, leftOut }: SkillSet): SkillsView {
  const others = eligible.filter(({ invocation }) => !invocation.userInvocable).map(({ name }) => name);
  return { commands: sessionSkillCommands({ eligible }), others, leftOut };
}

/** Resolves a typed command; undefined if it is ordinary text. */
export function resolveSkillCommand(typed: TypedSkill, set: SkillSet): ResolvedSkillCommand | undefined {
  const commands = sessionSkillCommands(set);
  if (typed.kind === "skill") return resolveSkillByName(typed.words, commands, set);
  const { name, args } = typed;
  const command = findSkillCommand(commands, name);
  if (command !== undefined) return { kind: "skill", command, args };
  const left = leftOutNamed(name, set.leftOut);
  return left && refusal(left);
}

/** Resolves `/skill name args`; names may have several words. */
function resolveSkillByName(
  words: string,
  commands: readonly SkillCommand[],
  { eligible, leftOut }: SkillSet,
): ResolvedSkillCommand {
  const byName = leadingName(
    words,
    commands.flatMap(({ name, skill }) => [{ name }, { name: skill.name }]),
  );
  const command = byName && findSkillCommand(commands, byName.named.name);
  if (command !== undefined) return { kind: "skill", command, args: byName?.rest ?? "" };
  const closed = leadingName(words, eligible)?.named;
  if (closed !== undefined) return { kind: "refused", reason: notUserInvocableText(closed) };
  const left = leadingName(words, leftOut)?.named;
  return left === undefined ? { kind: "refused", reason: unknownSkillText(words, commands, leftOut) } : refusal(left);
}

function leftOutNamed(name: string, leftOut: readonly LeftOut[]): LeftOut | undefined {
  const found = leadingName(name, leftOut);
  return found?.rest === "" ? found.named : undefined;
}

function refusal({ name, reason }: LeftOut): ResolvedSkillCommand {
  return { kind: "refused", reason: `The skill \`${name}\` cannot be used: ${reason}` };
}

function notUserInvocableText({ name }: Skill): string {
  return `The skill \`${name}\` is not called on by people: I use it by myself where it fits. Tell me what you need.`;
}

function unknownSkillText(words: string, commands: readonly SkillCommand[], leftOut: readonly LeftOut[]): string {
  const [word = ""] = words.split(/\s/, 1);
  const names = [...commands.flatMap(({ name, skill }) => [name, skill.name]), ...leftOut.map(({ name }) => name)];
  const near = [...new Set(nearestNames(word, [...new Set(names)]))].map((name) => `\`${name}\``);
  const meant = near.length === 0 ? "" : ` Do you mean ${near.join(" or ")}?`;
  return `There is no skill \`${head(word, MAX_WORD_CHARS)}\`.${meant} \`/skill\` shows what there is.`;
}

/** Most characters of a description in a line. */
const MAX_DESCRIPTION_CHARS = 100;

/** The skills of a session, as its commands show them. */
export interface SkillsView {
  commands: readonly SkillCommand[];
  /** Names of skills that users may not invoke. */
  others: readonly string[];
  leftOut: readonly LeftOut[];
}

/** A skill's command as a line of Markdown, with the skill's name if it differs. */
export function skillCommandLine({ name, skill }: SkillCommand): string {
  const own = skill.name === name ? "" : ` (${skill.name})`;
  const { dispatchTool } = skill.invocation;
  const straight = dispatchTool === undefined ? "" : ` → \`${dispatchTool}\``;
  return `/${name}${own}${straight}: ${oneLine(skill.description, MAX_DESCRIPTION_CHARS)}`;
}

/** A text on one line, shortened with an ellipsis. */
export function oneLine(text: string, maxChars: number): string {
  const whole = text.replace(/\s+/g, " ").trim();
  const kept = head(whole, maxChars);
  return kept.length < whole.length ? `${kept}…` : kept;
}
