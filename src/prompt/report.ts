import { byteLength } from "../lib/text.ts";
import { estimateTokens } from "../lib/tokens.ts";
import type { SystemPrompt } from "../models/model.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";
import type { PromptInput } from "./input.ts";
import { type SectionSource, sectionSource } from "./section-source.ts";
import type { RenderedPrompt, RenderedSection } from "./system-prompt.ts";

/** The size of a text. */
export interface TextSize {
  /** In UTF-16 units. */
  chars: number;
  /** In UTF-8. */
  bytes: number;
  /** Estimated. */
  tokens: number;
}

/** The size of a system prompt: as sent, by section, and by bootstrap file. */
export interface PromptReport {
  /** Both layers together, without the boundary marker. */
  total: TextSize;
  above: TextSize;
  below: TextSize;
  sections: SectionReport[];
  files: FileReport[];
}

/** A section's text and source. */
export interface LabelledSection {
  name: string;
  source: SectionSource;
  /** The side of the cache boundary. */
  layer: "above" | "below";
  text: string;
}

/** A section's text, source and size. */
export interface SectionReport extends LabelledSection, TextSize {}

/** A bootstrap file in the workspace (`raw`) and in the prompt (`injected`). */
export interface FileReport {
  path: string;
  rawChars: number;
  injectedChars: number;
  /** Estimated, of the injected text. */
  tokens: number;
  truncated: boolean;
  missing: boolean;
  /** What the prompt says in place of a file that is empty or not text. */
  note?: string;
}

/**
 * The report on a prompt.
 * @param prompt as rendered, or as changed by plugins afterwards
 * @param input what it was rendered from
 */
export function reportPrompt(prompt: Omit<RenderedPrompt, "added">, input: PromptInput): PromptReport {
  const sections = prompt.sections.map((section) => labelSection(section, input));
  return assembleReport(prompt.system, sections, input.bootstrapFiles.map(fileReport));
}

/** The report on a prompt whose sections have known sources. */
export function assembleReport(
  system: SystemPrompt,
  sections: readonly LabelledSection[],
  files: readonly FileReport[],
): PromptReport {
  const above = textSize(system.stable);
  const below = textSize(system.dynamic);
  return {
    total: {
      chars: above.chars + below.chars,
      bytes: above.bytes + below.bytes,
      tokens: above.tokens + below.tokens,
    },
    above,
    below,
    sections: sections.map(({ text, ...section }) => ({ ...section, ...textSize(text), text })),
    files: [...files],
  };
}

/** The size of a text. */
export function textSize(text: string): TextSize {
  return { chars: text.length, bytes: byteLength(text), tokens: estimateTokens(text) };
}

function labelSection({ name, layer, text, source }: RenderedSection, input: PromptInput): LabelledSection {
  return { name, source: source ?? sectionSource(name, input), layer: layer === "stable" ? "above" : "below", text };
}

function fileReport({ path, content, rawChars, injectedChars, truncated, missing }: BootstrapFile): FileReport {
  const isNote = rawChars === 0 && !missing && injectedChars > 0;
  const size = { rawChars, injectedChars, tokens: estimateTokens(content) };
  return { path, ...size, truncated, missing, ...(isNote && { note: content }) };
}
