/** A sign of instructions to the agent in an external text. */
export interface InjectionPattern {
  /** Its name in events and audit rows. */
  name: string;
  /**
   * Applied to normalized text: lower case, single white space characters. Every repetition is bounded, so that
   * matching time is linear in the text's length.
   */
  pattern: RegExp;
}

/** Builds a pattern from alternatives in lower case; a space matches any white space. */
export function injectionPattern(name: string, ...alternatives: string[]): InjectionPattern {
  const source = alternatives.join("|").normalize("NFKC").replaceAll(" ", "\\s");
  return { name, pattern: new RegExp(source, "mu") };
}

/** The source of at most `max` more words of the same sentence, each followed by a space. */
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
