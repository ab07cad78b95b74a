import type { RunInput } from "./run.ts";

/** Something typed that begins like a command: `/weather Paris`, or `/skill weather Paris`, whose name is in its words. */
export type TypedSkill = { kind: "command"; name: string; args: string } | { kind: "skill"; words: string };

/** `/name args`, `/name@bot args`, with either slash. Paths are none: in a name there is no slash. */
const TYPED = /^[/／]([^\s/／@]{1,200})(?:@[\w.-]+)?(?:\s+([\s\S]*))?$/;

/** What a text calls on, as far as its form says; undefined where it begins like no command. */
export function readTypedSkill(text: string): TypedSkill | undefined {
  const [, name, args = ""] = TYPED.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  return name.toLowerCase() === "skill"
    ? { kind: "skill", words: args.trim() }
    : { kind: "command", name, args: args.trim() };
}

/** Whether an owner has typed what begins like a command: nobody else calls on skills so, and no other run does. */
export function isTypedCommand({ text, sender, origin }: RunInput): boolean {
  const isSaid = origin === undefined || origin.kind === "reset";
  return isSaid && sender?.owner === true && readTypedSkill(text) !== undefined;
}
