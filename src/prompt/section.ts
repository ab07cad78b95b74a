import type { PromptInput, PromptMode, StableInput } from "./input.ts";

/**
 * One section of the system prompt. `render` is pure: the same input gives the same bytes. It returns undefined if the
 * section does not apply. A section above the cache boundary is a `Section<StableInput>`, so that the compiler keeps it
 * from reading what changes between turns. The input is already sanitized.
 */
export interface Section<Input = PromptInput> {
  /** Its name in reports, in kebab case. */
  readonly name: string;
  readonly modes: readonly PromptMode[];
  readonly render: (input: Input) => string | undefined;
}

/** Sections of plugins, each with its modes. */
export interface AddedSections {
  /** After our own sections of the stable layer; they read only stable input. */
  readonly stable: readonly Section<StableInput>[];
  /** After our own sections of the dynamic layer, before `runtime`. */
  readonly dynamic: readonly Section[];
}

/** Joins the given lines; undefined and false are left out. */
export function joinLines(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== false).join("\n");
}
