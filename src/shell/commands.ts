import { type CommandName, getCommandNames, getNetworkCommandNames } from "just-bash/browser";

/**
 * What just-bash brings and does not work here: what is about a screen or about what was typed before, `html-to-markdown`, which
 * wants the page of a browser, and `split`, which takes a hundred times the memory of its file.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(["alias", "clear", "history", "html-to-markdown", "split", "unalias"]);

/** The programs of just-bash that a script may call, besides those of the network. */
export const PROGRAMS: readonly CommandName[] = getCommandNames().filter(isOffered);

/** Programs of our own besides. */
const OWN = ["yq"];

/** The commands of the shell by name, in order: all that a skill's `requires.bins` may name. */
export const SHELL_COMMANDS: readonly string[] = [...PROGRAMS, ...OWN, ...getNetworkCommandNames()].sort();

function isOffered(name: string): name is CommandName {
  return !LEFT_OUT.has(name);
}
