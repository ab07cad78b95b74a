import { byteLength } from "../lib/text.ts";
import { estimateTokens } from "../lib/tokens.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";
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
  total: TextSize;
  stable: TextSize;
  dynamic: TextSize;
  sections: SectionReport[];
  files: FileReport[];
}

/** What a section costs in it. */
export interface SectionReport extends Omit<RenderedSection, "text"> {
  /** Estimated. */
  tokens: number;
}

/** A bootstrap file as it is in the workspace (`raw`) and in the prompt (`injected`). */
export interface FileReport {
  path: string;
  rawChars: number;
  injectedChars: number;
  /** Estimated, of what is injected. */
  tokens: number;
  truncated: boolean;
  missing: boolean;
}

/** Reports on a rendered prompt and the bootstrap files that went into it. */
export function reportPrompt(rendered: RenderedPrompt, bootstrapFiles: readonly BootstrapFile[]): PromptReport {
  const stable = sizeOf(rendered.system.stable);
  const dynamic = sizeOf(rendered.system.dynamic);
  return {
    total: {
      chars: stable.chars + dynamic.chars,
      bytes: stable.bytes + dynamic.bytes,
      tokens: stable.tokens + dynamic.tokens,
    },
    stable,
    dynamic,
    sections: rendered.sections.map(({ text, ...section }) => ({ ...section, tokens: estimateTokens(text) })),
    files: bootstrapFiles.map(({ path, content, rawChars, injectedChars, truncated, missing }) => ({
      path,
      rawChars,
      injectedChars,
      tokens: estimateTokens(content),
      truncated,
      missing,
    })),
  };
}

function sizeOf(text: string): TextSize {
  return { chars: text.length, bytes: byteLength(text), tokens: estimateTokens(text) };
}
