import { messageOf } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { isForPeople, type UserMessage } from "../../models/message.ts";
import type { TurnSkills } from "../../services/skills/turn-skills.ts";
import { readTypedSkill } from "../../session-store/messages.ts";
import type { SkillCommand } from "../../skills/command-names.ts";
import type { ActiveRun } from "../active-run.ts";
import { dispatchArgs } from "./dispatch-args.ts";
import { type Invocation, invocationOf } from "./invocation.ts";
import { handedNote, MAX_INLINE_CHARS, refusedNote, skillNote } from "./skill-note.ts";

/** Most bytes of a character. */
const CHARACTER_BYTES = 4;

/**
 * Tells the model, for good, of each skill that somebody has called on since the run began and that it was not told of:
 * with the skill's text, where that is no longer than fits. Once is enough, also over a crash.
 */
export async function addSkillNotes(run: ActiveRun, skills: TurnSkills): Promise<void> {
  if (run.journal.flushReplies !== undefined) return;
  for (const asked of peopleMessages(run)) {
    if (asked.commandAt === undefined || noteOn(asked, run) !== undefined) continue;
    const invocation = invocationIn(asked, skills);
    if (invocation === undefined) continue;
    addTo(asked, { text: await noteText(invocation, skills) }, run);
  }
}

/** What people have said in a run, oldest first. */
export function peopleMessages({ journal }: ActiveRun): UserMessage[] {
  const { startedAt } = journal.state;
  return journal
    .context()
    .filter((message) => message.role === "user")
    .filter((message) => isForPeople(message) && message.at >= startedAt);
}

/** What a message calls on; undefined where it is a text like any other. */
export function invocationIn({ text, commandAt }: UserMessage, { set }: TurnSkills): Invocation | undefined {
  const typed = commandAt === undefined ? undefined : readTypedSkill(text.slice(commandAt));
  return typed && invocationOf(typed, set);
}

/** What was added to a message that calls on a skill. */
export function noteOn({ id }: UserMessage, { journal }: ActiveRun): UserMessage | undefined {
  return journal
    .context()
    .filter((message) => message.role === "user")
    .find(({ addedTo }) => addedTo === id);
}

/** Stores what is added to a message that calls on a skill. */
export function addTo(
  { id: addedTo }: UserMessage,
  note: Pick<UserMessage, "text" | "dispatch">,
  { row, principal, journal }: ActiveRun,
): void {
  const at = Date.now();
  const sender = { id: "system", name: "System", owner: principal.owner };
  journal.addSystemMessage({ role: "user", id: newId("msg", at), at, ...note, sender, fromRunId: row.id, addedTo });
}

async function noteText(invocation: Invocation, skills: TurnSkills): Promise<string> {
  if (invocation.kind === "refused") return refusedNote(invocation.reason);
  const { command, args } = invocation;
  const { dispatchTool } = command.skill.invocation;
  if (dispatchTool !== undefined) return handedNote(command, dispatchTool, dispatchArgs(command, args));
  return skillNote(command, args, await textOf(command, skills));
}

/** Where it cannot be read now, the model is told to, and sees why it cannot. */
async function textOf({ skill }: SkillCommand, skills: TurnSkills): Promise<string | undefined> {
  if (skill.size > MAX_INLINE_CHARS * CHARACTER_BYTES) return undefined;
  try {
    return await skills.read(skill.location);
  } catch (error) {
    log("warn", "skill.not_read", { location: skill.location, error: messageOf(error) });
    return undefined;
  }
}
