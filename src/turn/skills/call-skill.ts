import { messageOf } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { isForPeople, type UserMessage } from "../../models/message.ts";
import { sanitizeForPrompt } from "../../security/sanitize.ts";
import type { TurnSkills } from "../../services/skills/turn-skills.ts";
import { readTypedSkill } from "../../session-store/messages.ts";
import type { SkillCommand } from "../../skills/command-names.ts";
import type { ActiveRun } from "../active-run.ts";
import { systemSender } from "../principal.ts";
import { dispatchArgs } from "./dispatch.ts";
import { type ResolvedSkillCommand, resolveSkillCommand } from "./resolve-skill-command.ts";

/** Most UTF-8 bytes of a character. */
const CHARACTER_BYTES = 4;

/**
 * Adds a note to the transcript for each skill command since the run began, once, also after a crash. The note includes
 * the skill's text if it is short enough.
 */
export async function addSkillNotes(run: ActiveRun, skills: TurnSkills): Promise<void> {
  if (run.journal.flushReplies !== undefined) return;
  for (const userMessage of peopleMessages(run)) {
    if (userMessage.commandAt === undefined || noteFor(userMessage, run) !== undefined) continue;
    const invocation = messageInvocation(userMessage, skills);
    if (invocation === undefined) continue;
    addNote(userMessage, { text: await invocationNote(invocation, skills) }, run);
  }
}

/** The users' messages of a run, oldest first. */
export function peopleMessages({ journal }: ActiveRun): UserMessage[] {
  const { startedAt } = journal.state;
  return journal
    .context()
    .filter((message) => message.role === "user")
    .filter((message) => isForPeople(message) && message.at >= startedAt);
}

/** The skill command in a message; undefined if it is ordinary text. */
export function messageInvocation(
  { text, commandAt }: UserMessage,
  { set }: TurnSkills,
): ResolvedSkillCommand | undefined {
  const typed = commandAt === undefined ? undefined : readTypedSkill(text.slice(commandAt));
  return typed && resolveSkillCommand(typed, set);
}

/** The note that was added to a message. */
export function noteFor({ id }: UserMessage, { journal }: ActiveRun): UserMessage | undefined {
  return journal
    .context()
    .filter((message) => message.role === "user")
    .find(({ addedTo }) => addedTo === id);
}

/** Stores a note for a message. */
export function addNote(
  { id: addedTo }: UserMessage,
  note: Pick<UserMessage, "text" | "dispatch">,
  { row, principal, journal }: ActiveRun,
): void {
  const at = Date.now();
  const sender = systemSender(principal);
  journal.addSystemMessage({ role: "user", id: newId("msg", at), at, ...note, sender, fromRunId: row.id, addedTo });
}

async function invocationNote(invocation: ResolvedSkillCommand, skills: TurnSkills): Promise<string> {
  if (invocation.kind === "refused") return refusedNote(invocation.reason);
  const { command, args } = invocation;
  const { dispatchTool } = command.skill.invocation;
  if (dispatchTool !== undefined) return delegatedCallNote(command, dispatchTool, dispatchArgs(command, args));
  return skillNote(command, args, await inlineSkillText(command, skills));
}

/**
 * The text of a skill for a note. If it cannot be read now, the note tells the model to read it, and the model sees the
 * error.
 */
async function inlineSkillText({ skill }: SkillCommand, skills: TurnSkills): Promise<string | undefined> {
  if (skill.size > MAX_INLINE_CHARS * CHARACTER_BYTES) return undefined;
  try {
    return await skills.read(skill.location);
  } catch (error) {
    log("warn", "skill.not_read", { location: skill.location, error: messageOf(error) });
    return undefined;
  }
}

/** Most characters of a skill's text in a note; the model has to read a longer one itself. */
const MAX_INLINE_CHARS = 20_000;
/** Most characters of arguments that are repeated in a note; the message has them too. */
const MAX_ARGS_CHARS = 4000;

/**
 * The note for a skill command.
 * @param text of its SKILL.md with `{baseDir}` replaced; undefined if it is not available
 */
function skillNote({ name, skill }: SkillCommand, args: string, text: string | undefined): string {
  const body = text === undefined ? undefined : withoutFrontMatter(text).trim();
  const isShown = body !== undefined && body.length <= MAX_INLINE_CHARS;
  return [
    `[System] The user has called on the skill "${skill.name}" with /${name}. ${isShown ? SHOWN : readFirstText(skill.location)}`,
    argsText(args),
    ...(isShown ? [`<skill ${attributes(skill)}>\n${body}\n</skill>`] : [`Version: ${skill.version}`]),
  ].join("\n\n");
}

/** The note for a command that was dispatched to a tool; models of later turns see it. */
export function dispatchNote({ name, skill }: SkillCommand, tool: string): string {
  return `[System] The user has called on the skill "${skill.name}" with /${name}, which goes to the tool \`${tool}\` directly.`;
}

/** The note for a command with a tool that came among other messages, so that the model makes the call. */
function delegatedCallNote({ name, skill }: SkillCommand, tool: string, args: object): string {
  return [
    `[System] The user has called on the skill "${skill.name}" with /${name}, which stands for one call of a tool.`,
    `Call \`${tool}\` with ${JSON.stringify(args)}, as far as it takes these, and tell the user its output.`,
  ].join(" ");
}

/** The note for a skill that cannot be used. */
function refusedNote(reason: string): string {
  return `[System] What the user typed like a command comes to nothing. Tell them this: ${reason}`;
}

const SHOWN = "Do what it says; its text follows.";

function readFirstText(location: string): string {
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
