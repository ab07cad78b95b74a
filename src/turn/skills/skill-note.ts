import { sanitizeForPrompt } from "../../security/sanitize.ts";
import type { SkillCommand } from "../../skills/command-names.ts";

/** Most characters of a skill's text that its command shows the model at once; a longer one it has to read. */
export const MAX_INLINE_CHARS = 20_000;
/** Most characters of arguments that are repeated beside it: they stand in what was typed, too. */
const MAX_ARGS_CHARS = 4000;

/**
 * What a model is told when somebody calls on a skill with its command.
 * @param text of its SKILL.md, `{baseDir}` replaced; undefined where it is not at hand
 */
export function skillNote({ name, skill }: SkillCommand, args: string, text: string | undefined): string {
  const body = text === undefined ? undefined : withoutFrontMatter(text).trim();
  const isShown = body !== undefined && body.length <= MAX_INLINE_CHARS;
  return [
    `[System] The user has called on the skill "${skill.name}" with /${name}. ${isShown ? SHOWN : toRead(skill.location)}`,
    argsText(args),
    ...(isShown ? [`<skill ${attributes(skill)}>\n${body}\n</skill>`] : [`Version: ${skill.version}`]),
  ].join("\n\n");
}

/** The same where the command goes to a tool, for models that see it later. */
export function dispatchNote({ name, skill }: SkillCommand, tool: string): string {
  return `[System] The user has called on the skill "${skill.name}" with /${name}, which goes to the tool \`${tool}\` directly.`;
}

/** The same where such a command came among other messages, and so to the model. */
export function handedNote({ name, skill }: SkillCommand, tool: string, args: object): string {
  return [
    `[System] The user has called on the skill "${skill.name}" with /${name}, which stands for one call of a tool.`,
    `Call \`${tool}\` with ${JSON.stringify(args)}, as far as it takes these, and tell the user its output.`,
  ].join(" ");
}

/** The same where the skill cannot be had. */
export function refusedNote(reason: string): string {
  return `[System] What the user typed like a command comes to nothing. Tell them this: ${reason}`;
}

const SHOWN = "Do what it says; its text follows.";

function toRead(location: string): string {
  return `Before anything else, \`read\` ${location}, and then do what it says.`;
}

function argsText(args: string): string {
  if (args === "") return "Nothing was typed after the command: where the skill needs to know more, ask.";
  if (args.length > MAX_ARGS_CHARS) return "What the user wants of it is what they typed after the command.";
  return `What was typed after the command:\n${args}`;
}

function attributes({ name, location, version }: SkillCommand["skill"]): string {
  return Object.entries({ name, location, version })
    .map(([key, value]) => `${key}=${JSON.stringify(sanitizeForPrompt(value))}`)
    .join(" ");
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, "");
}
