import type { AnyTool } from "../../agent/tool.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { SkillCommand } from "../../skills/command-names.ts";

/** What the tool of a skill's command is called with: what was typed, as it was, and who calls. */
export function dispatchArgs({ name, skill }: SkillCommand, args: string): JsonObject {
  return { command: args, commandName: name, skillName: skill.name };
}

/** What of these a tool takes, or why it takes none. */
export type FittedArgs = { kind: "fits"; args: JsonObject } | { kind: "refused"; reason: string };

/**
 * The arguments as a tool's schema takes them. OpenClaw hands all three over unchecked; here a tool may refuse fields that
 * it does not know, so who calls is left out for one that does. What was typed is never left out.
 */
export function fittedArgs({ name, parameters }: AnyTool, args: JsonObject): FittedArgs {
  const { command = "" } = args;
  const candidates: JsonObject[] = [args, { command }, ...(command === "" ? [{}] : [])];
  const fitting = candidates.find((candidate) => takes(parameters.safeParse(candidate).data, command !== ""));
  if (fitting !== undefined) return { kind: "fits", args: fitting };
  const reason = command === "" ? "needs to be told what to do: type it after the command." : TAKES_NO_TEXT;
  return { kind: "refused", reason: `The tool \`${name}\` ${reason}` };
}

/** Whether a schema has let arguments through, and with them what was typed. */
function takes(parsed: unknown, hasText: boolean): boolean {
  return typeof parsed === "object" && parsed !== null && (!hasText || "command" in parsed);
}

const TAKES_NO_TEXT =
  "takes no text of a command. Take `command-dispatch` out of the skill's SKILL.md, so that I do what it says instead.";
