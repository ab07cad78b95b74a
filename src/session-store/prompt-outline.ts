import type { PromptMode } from "../prompt/input.ts";
import type { FileReport, PromptReport, SectionReport } from "../prompt/report.ts";
import type { SectionSource } from "../prompt/section-source.ts";

/** What one layer of a system prompt is made of, as it is kept beside its text. */
export interface Outline {
  mode: PromptMode;
  /** In order; a blank line between them makes the text. */
  sections: { name: string; source: SectionSource; chars: number }[];
  /** The files that the layer shows. */
  files: FileReport[];
}

/** The outline of a layer. */
export function outlineOf(report: PromptReport, layer: SectionReport["layer"], mode: PromptMode): Outline {
  const sections = report.sections.filter((section) => section.layer === layer);
  return {
    mode,
    sections: sections.map(({ name, source, chars }) => ({ name, source, chars })),
    files: layer === "above" ? report.files : [],
  };
}

/** A layer taken apart again. */
export function sectionsIn(text: string, { sections }: Pick<Outline, "sections">) {
  let at = 0;
  return sections.map(({ name, source, chars }) => {
    const section = { name, source, text: text.slice(at, at + chars) };
    at += chars + "\n\n".length;
    return section;
  });
}
