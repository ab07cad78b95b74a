import type { ToolOutput } from "../agent/tool.ts";
import { fromOutside, type LabelledText, type OutsidePort } from "../security/from-outside.ts";
import { fileLabel, joinLabels, type Label } from "../security/labels.ts";
import { type FileLabels, lineHash, stretches } from "../workspace/file-labels.ts";

/** The text of a labelled file for the model: the words that are not the owner's are fenced. */
export function labelledText(path: string, text: string, file: FileLabels | undefined, port: OutsidePort): ToolOutput {
  if (file === undefined) return { text };
  const labels = labelsOf(path, file);
  const parts = stretches(text, file);
  if (!parts.some(({ isLabelled }) => isLabelled)) return { text };
  const shown = parts.map((part) => (part.isLabelled ? fenced(part.text, labels, port) : { text: part.text }));
  return {
    text: shown.map((part) => part.text).join("\n"),
    labels: joinLabels(...shown.map((part) => ("labels" in part ? part.labels : []))),
  };
}

/** Whether a line of a file may be labelled. @param isCut whether only its beginning is known */
export function isLabelledLine({ lines }: FileLabels, line: string, isCut: boolean): boolean {
  const hash = lineHash(line);
  return lines === undefined || isCut || (hash !== undefined && lines.has(hash));
}

/** The labels of what is read of a labelled file: its own, and its path. */
export function labelsOf(path: string, { labels }: FileLabels): readonly Label[] {
  return joinLabels(labels, [fileLabel(path)]);
}

/** Words of a labelled file, fenced. */
export function fenced(text: string, labels: readonly Label[], port: OutsidePort): LabelledText {
  return fromOutside({ text, source: "unknown", labels }, port);
}
