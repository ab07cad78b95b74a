import { head, tail } from "../lib/text.ts";

/** What a call of `exec` is asked to do. */
export interface AskedScript {
  command: string;
  workdir?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
}

/** Most characters of a script that are shown, and of what it is given besides. */
const MAX_SCRIPT_CHARS = 1_200;
const MAX_GIVEN_CHARS = 300;

const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\u2028\u2029]/gu;

/**
 * What an owner is asked before a script runs, in one line and the script below it. Nothing of it is hidden: what is too long says how
 * much is not shown, its end is, and characters that nobody would see are written by their number.
 */
export function execQuestion({ command, workdir, env = {} }: AskedScript): string {
  const given = [
    ...(workdir === undefined ? [] : [`in ${workdir}`]),
    ...Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`),
  ].join(", ");
  const besides = given === "" ? [] : [`# ${bounded(seen(given).replaceAll("\n", " "), MAX_GIVEN_CHARS)}`];
  return ["Run this?", ...besides, bounded(seen(command), MAX_SCRIPT_CHARS)].join("\n");
}

function bounded(text: string, max: number): string {
  if (text.length <= max) return text;
  const [first, last] = [head(text, max * 0.7), tail(text, max * 0.3)];
  const left = text.length - first.length - last.length;
  return `${first}\n[${left} characters are not shown here, and run all the same: deny it unless you have seen them.]\n${last}`;
}

function seen(text: string): string {
  return text.replace(UNSEEN, (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`).toWellFormed();
}
