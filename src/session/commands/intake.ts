import type { RunInput } from "../run/run.ts";
import type { ImmediateCommand } from "./command.ts";
import { readCommand } from "./index.ts";

/** What a session was handed: a command that acts at once, or a run, which may be a command, too. */
export type Intake =
  | { kind: "immediate"; command: ImmediateCommand; args: string; input: RunInput }
  | { kind: "run"; input: RunInput };

/**
 * Sorts what comes in. Only what an owner typed can be a command: not what a stranger says, and not what another run,
 * and so perhaps a model, has said on its own account.
 */
export function intake(input: RunInput): Intake {
  const typed = input.sender?.owner && input.origin === undefined ? readCommand(input.text) : undefined;
  if (typed === undefined) return { kind: "run", input };
  const { command, args } = typed;
  if (command.kind === "immediate") return { kind: "immediate", command, args, input };
  const kind = command.kind === "reset" ? command.kind : "command";
  return { kind: "run", input: { ...input, origin: { kind, name: command.name, args } } };
}
