import { type CommandName, getCommandNames, getNetworkCommandNames } from "just-bash/browser";

/**
 * Programs of just-bash that do not work here: those for a terminal or for command history, `html-to-markdown` (needs a
 * browser's DOM) and `split` (uses a hundred times the memory of its file).
 */
const LEFT_OUT: ReadonlySet<string> = new Set(["alias", "clear", "history", "html-to-markdown", "split", "unalias"]);

/** The programs of just-bash that a script may call, the network programs aside. */
export const PROGRAMS: readonly CommandName[] = getCommandNames().filter(isOffered);

/** Our own programs. */
const OWN = ["yq"];

/** All commands of the shell, sorted: the values that a skill's `requires.bins` may name. */
export const SHELL_COMMANDS: readonly string[] = [...PROGRAMS, ...OWN, ...getNetworkCommandNames()].sort();

function isOffered(name: string): name is CommandName {
  return !LEFT_OUT.has(name);
}
