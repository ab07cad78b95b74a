import { isTypedCommand, readTypedSkill } from "../session-store/messages.ts";
import type { RunInput } from "../session-store/run.ts";
import type { SkillSet } from "../skills/skill-set.ts";
import { invocationOf } from "../turn/skills/invocation.ts";
import type { ImmediateCommand } from "./command.ts";
import { readCommand, type TypedCommand } from "./index.ts";

/** An input of a session, sorted: an immediate command, or a run (which may be a queued command). */
export type Intake =
  | { kind: "immediate"; command: ImmediateCommand; args: string; input: RunInput }
  | { kind: "run"; input: RunInput };

/**
 * Sorts an input. Only text typed by an owner can be a command: never text of other people, and never text sent by
 * another run, which may come from a model.
 * @param skills the latest scan; read only if the text looks like a command
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

/** A skill call is an ordinary message, unless the skill is known to dispatch to a tool. */
function asMessage(input: RunInput, skills: () => SkillSet): RunInput {
  const typed = isTypedCommand(input) ? readTypedSkill(input.text) : undefined;
  const invocation = typed && invocationOf(typed, skills());
  const tool = invocation?.kind === "skill" ? invocation.command.skill.invocation.dispatchTool : undefined;
  return tool === undefined ? input : { ...input, alone: true };
}
