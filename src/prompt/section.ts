import type { PromptInput, PromptMode, StableInput } from "./input.ts";

/**
 * One section of the system prompt. `render` is pure: the same input gives the same bytes. It gives undefined where
 * its condition does not hold, and the section is then absent. A section above the cache boundary is a
 * `Section<StableInput>`, so that the compiler keeps it from reading what changes between turns. What it is given was
 * sanitized before, so that no section has to.
 */
export interface Section<Input = PromptInput> {
  /** Its name in reports, in kebab case. */
  readonly name: string;
  readonly modes: readonly PromptMode[];
  readonly render: (input: Input) => string | undefined;
}

/** Sections that others add to ours, each in the modes that it names. */
export interface AddedSections {
  /** Below our own of the part that stands still from turn to turn; they read only what stands still. */
  readonly stable: readonly Section<StableInput>[];
  /** Below our own of the part that changes, above `runtime`. */
  readonly dynamic: readonly Section[];
}

/** Joins the lines that are there: what is undefined or false is left out. */
export function joinLines(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== false).join("\n");
}
