import { isTypedCommand, readTypedSkill } from "../session-store/messages.ts";
import type { RunInput } from "../session-store/run.ts";
import type { SkillSet } from "../skills/skill-set.ts";
import { invocationOf } from "../turn/skills/invocation.ts";
import type { ImmediateCommand } from "./command.ts";
import { readCommand, type TypedCommand } from "./index.ts";

/** What a session was handed: a command that acts at once, or a run, which may be a command, too. */
export type Intake =
  | { kind: "immediate"; command: ImmediateCommand; args: string; input: RunInput }
  | { kind: "run"; input: RunInput };

/**
 * Sorts what comes in. Only what an owner typed can be a command: not what a stranger says, and not what another run,
 * and so perhaps a model, has said on its own account.
 * @param skills as they were found last; asked only where something was typed like a command
 */
export function intake(input: RunInput, skills: () => SkillSet): Intake {
  const typed = input.sender?.owner && input.origin === undefined ? readCommand(input.text) : undefined;
  if (typed === undefined || isMessage(typed)) return { kind: "run", input: asMessage(input, skills) };
  const { command, args } = typed;
  if (command.kind === "immediate") return { kind: "immediate", command, args, input };
  const kind = command.kind === "reset" ? command.kind : "command";
  return { kind: "run", input: { ...input, origin: { kind, name: command.name, args } } };
}

function isMessage({ command, args }: TypedCommand): boolean {
  return command.kind === "queued" && command.isMessage?.(args) === true;
}

/** What calls on a skill is a message like any other, unless its command goes to a tool, as far as that is known now. */
function asMessage(input: RunInput, skills: () => SkillSet): RunInput {
  const typed = isTypedCommand(input) ? readTypedSkill(input.text) : undefined;
  const invocation = typed && invocationOf(typed, skills());
  const tool = invocation?.kind === "skill" ? invocation.command.skill.invocation.dispatchTool : undefined;
  return tool === undefined ? input : { ...input, alone: true };
}
