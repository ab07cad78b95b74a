import { byteLength } from "../lib/text.ts";
import { estimateTokens } from "../lib/tokens.ts";
import type { SystemPrompt } from "../models/model.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";
import type { PromptInput } from "./input.ts";
import { type SectionSource, sourceOf } from "./section-source.ts";
import type { RenderedPrompt, RenderedSection } from "./system-prompt.ts";

/** How large a text is. */
export interface TextSize {
  /** In UTF-16 units. */
  chars: number;
  /** In UTF-8. */
  bytes: number;
  /** Estimated. */
  tokens: number;
}

/** What a system prompt costs: as it is sent, by section, and by bootstrap file. */
export interface PromptReport {
  /** Of both layers together, without the boundary marker. */
  total: TextSize;
  above: TextSize;
  below: TextSize;
  sections: SectionReport[];
  files: FileReport[];
}

/** What a section says, and who says it. */
export interface LabelledSection {
  name: string;
  source: SectionSource;
  /** On which side of the cache boundary it is. */
  layer: "above" | "below";
  text: string;
}

/** What a section says and costs. */
export interface SectionReport extends LabelledSection, TextSize {}

/** A bootstrap file as it is in the workspace (`raw`) and in the prompt (`injected`). */
export interface FileReport {
  path: string;
  rawChars: number;
  injectedChars: number;
  /** Estimated, of what is injected. */
  tokens: number;
  truncated: boolean;
  missing: boolean;
  /** What the prompt says in place of a file that is empty or no text. */
  note?: string;
}

/**
 * Reports on a prompt.
 * @param prompt as it was rendered, or as plugins have changed it after that
 * @param input what it was rendered from
 */
export function reportPrompt(prompt: Omit<RenderedPrompt, "added">, input: PromptInput): PromptReport {
  const sections = prompt.sections.map((section) => labelled(section, input));
  return reportOf(prompt.system, sections, input.bootstrapFiles.map(fileReport));
}

/** Reports on a prompt of which it is known already where everything comes from. */
export function reportOf(
  system: SystemPrompt,
  sections: readonly LabelledSection[],
  files: readonly FileReport[],
): PromptReport {
  const above = sizeOf(system.stable);
  const below = sizeOf(system.dynamic);
  return {
    total: {
      chars: above.chars + below.chars,
      bytes: above.bytes + below.bytes,
      tokens: above.tokens + below.tokens,
    },
    above,
    below,
    sections: sections.map(({ text, ...section }) => ({ ...section, ...sizeOf(text), text })),
    files: [...files],
  };
}

/** How large a text is. Pure. */
export function sizeOf(text: string): TextSize {
  return { chars: text.length, bytes: byteLength(text), tokens: estimateTokens(text) };
}

function labelled({ name, layer, text, source }: RenderedSection, input: PromptInput): LabelledSection {
  return { name, source: source ?? sourceOf(name, input), layer: layer === "stable" ? "above" : "below", text };
}

function fileReport({ path, content, rawChars, injectedChars, truncated, missing }: BootstrapFile): FileReport {
  const isNote = rawChars === 0 && !missing && injectedChars > 0;
  const size = { rawChars, injectedChars, tokens: estimateTokens(content) };
  return { path, ...size, truncated, missing, ...(isNote && { note: content }) };
}
