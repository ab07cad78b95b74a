import { byteLength } from "../lib/text.ts";
import type { BootstrapFile } from "../workspace/bootstrap.ts";
import type { RenderedPrompt, RenderedSection } from "./system-prompt.ts";

/** How large a text is. */
export interface TextSize {
  /** In UTF-16 units. */
  chars: number;
  /** In UTF-8. */
  bytes: number;
  /** Estimated, see `estimateTokens`. */
  tokens: number;
}

/** What a system prompt costs: as it is sent, by section, and by bootstrap file. */
export interface PromptReport {
  total: TextSize;
  stable: TextSize;
  dynamic: TextSize;
  sections: (RenderedSection & { tokens: number })[];
  files: FileReport[];
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
      tokens: estimateTokens(stable.bytes + dynamic.bytes),
    },
    stable,
    dynamic,
    sections: rendered.sections.map((section) => ({ ...section, tokens: estimateTokens(section.bytes) })),
    files: bootstrapFiles.map(({ path, content, rawChars, injectedChars, truncated, missing }) => ({
      path,
      rawChars,
      injectedChars,
      tokens: estimateTokens(byteLength(content)),
      truncated,
      missing,
    })),
  };
}

/** Tokens of a text of so many UTF-8 bytes, at four bytes each: close for English, and not too low for Chinese. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / 4);
}

function sizeOf(text: string): TextSize {
  const bytes = byteLength(text);
  return { chars: text.length, bytes, tokens: estimateTokens(bytes) };
}
