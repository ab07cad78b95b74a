/** A sign that a text wants to instruct the agent that reads it. */
export interface InjectionPattern {
  /** What it is called in events and audit rows. */
  name: string;
  /**
   * Applied to folded text: lower case, one white space character at a time. Every repetition in it is bounded, so that
   * a text is searched in a time that grows only with its length.
   */
  pattern: RegExp;
}

/** Builds a pattern from the sources of its alternatives, in lower case; a space in them is any white space. */
export function injectionPattern(name: string, ...alternatives: string[]): InjectionPattern {
  const source = alternatives.join("|").normalize("NFKC").replaceAll(" ", "\\s");
  return { name, pattern: new RegExp(source, "mu") };
}

/** The source of at most `max` further words of the same sentence, each followed by a space. */
export function upTo(max: number): string {
  return String.raw`(?:[^\s.!?;]{1,24} ){0,${max}}`;
}

/** The twelve patterns that OpenClaw documents. */
export const OPENCLAW_PATTERNS: readonly InjectionPattern[] = [
  injectionPattern("ignore-previous", "ignore (?:all )?(?:previous|prior|above) (?:instructions?|prompts?)"),
  injectionPattern("disregard-previous", "disregard (?:all )?(?:previous|prior|above)"),
  injectionPattern("forget-rules", "forget (?:everything|all|your) (?:instructions?|rules?|guidelines?)"),
  injectionPattern("new-role", String.raw`you are now an?\b`),
  injectionPattern("new-instructions", "new instructions?:"),
  injectionPattern("system-override", "system ?:? ?(?:prompt|override|command)"),
  injectionPattern("exec-command", String.raw`\bexec\b.{0,200}command ?=`),
  injectionPattern("elevated", "elevated ?= ?true"),
  injectionPattern("rm-rf", "rm -rf"),
  injectionPattern("delete-all", "delete all (?:emails?|files?|data)"),
  injectionPattern("system-tag", "</?system>"),
  injectionPattern("role-delimiter", String.raw`\] ?\n ?\[?(?:system|assistant|user)\]?:`),
];
