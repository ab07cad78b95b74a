import type { Skill } from "./skill.ts";

/** Longest name of a command: the limit of Telegram's menu. */
const MAX_NAME_CHARS = 32;
/** The command name of a skill whose name and folder have no usable characters. */
const NAMELESS = "skill";

/** A skill that users may invoke, and its command. */
export interface SkillCommand {
  /** At most 32 of `a-z`, `0-9` and `_`; unique in its list. */
  name: string;
  skill: Skill;
}

/**
 * The commands of the skills that users may invoke, ordered by skill name. Names are derived as in OpenClaw, except
 * that a name without usable characters, such as a Chinese one, falls back to the folder.
 * @param reserved names of other commands, of one word or two
 */
export function skillCommands(skills: readonly Skill[], reserved: readonly string[]): SkillCommand[] {
  const taken = new Set(reserved.map(commandName));
  const callable = skills.filter(({ invocation }) => invocation.userInvocable).toSorted(byName);
  return callable.map((skill) => {
    const name = freeName(commandName(skill.name) || commandName(folderName(skill)) || NAMELESS, taken);
    taken.add(name);
    return { name, skill };
  });
}

/** The command for a word: by command name, then by skill name, then by either with `-`, `_` and case ignored. */
export function findSkillCommand(commands: readonly SkillCommand[], word: string): SkillCommand | undefined {
  const lower = word.toLowerCase();
  return (
    commands.find(({ name }) => name === lower) ??
    commands.find(({ skill }) => skill.name.toLowerCase() === lower) ??
    commands.find(({ name, skill }) => [name, skill.name].some((own) => loosely(own) === loosely(word)))
  );
}

/** Finds the longest of some names (which may have several words) that a text starts with, and the rest of the text. */
export function leadingName<Named extends { name: string }>(
  text: string,
  named: readonly Named[],
): { named: Named; rest: string } | undefined {
  const words = text.trim();
  const lower = loosely(words);
  const found = named
    .filter(({ name }) => lower.startsWith(loosely(name)) && /^(?:\s|$)/.test(words.slice(name.length)))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
  return found && { named: found, rest: words.slice(found.name.length).trim() };
}

/** Converts a name to a command name; empty if no character is usable. */
export function commandName(raw: string): string {
  const whole = raw.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  return whole.replace(/^_|_$/g, "").slice(0, MAX_NAME_CHARS);
}

function freeName(base: string, taken: ReadonlySet<string>): string {
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base.slice(0, MAX_NAME_CHARS - `_${n}`.length)}_${n}`;
  return name;
}

function loosely(text: string): string {
  return text.toLowerCase().replace(/[\s_]/g, "-");
}

function folderName({ baseDir }: Skill): string {
  return baseDir.slice(baseDir.lastIndexOf("/") + 1);
}

function byName(one: Skill, other: Skill): number {
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}
