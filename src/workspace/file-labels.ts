import { isLabel, joinLabels, type Label, labelText } from "../security/labels.ts";

/** The labels of a file: of all of it, or only of the lines with these hashes. */
export interface FileLabels {
  labels: readonly Label[];
  /** Hashes of the labelled lines; absent if the whole file is labelled. */
  lines?: ReadonlySet<string>;
}

/** R2 keeps 8,192 bytes of metadata for an object; with more labelled lines the whole file is labelled. */
const MAX_LINES = 700;
const HASH_CHARS = 8;

/** Labels as metadata of an R2 object; undefined for none. */
export function labelMetadata(file: FileLabels | undefined): Record<string, string> | undefined {
  if (file === undefined || file.labels.length === 0) return undefined;
  const { labels, lines } = file;
  const isWhole = lines === undefined || lines.size > MAX_LINES;
  return { labels: labels.join(","), ...(!isWhole && { lines: [...lines].join("") }) };
}

/** The labels in the metadata of an R2 object; undefined if it has none. */
export function labelsIn(metadata: Readonly<Record<string, string>> | undefined): FileLabels | undefined {
  const labels = metadata?.labels?.split(",").filter(isLabel) ?? [];
  if (labels.length === 0) return undefined;
  const hashes = metadata?.lines;
  return hashes === undefined ? { labels } : { labels, lines: new Set(hashes.match(/.{8}/g) ?? []) };
}

/** Files of the root that prompts show, in lower case. */
const SHOWN_IN_PROMPTS = /^(?:agents|soul|tools|identity|user|heartbeat|bootstrap|boot|memory)\.md$/;

/** Whether the labels of a file belong to its lines: memory, and what prompts show. What is not labelled stays plain. */
export function isLabelledByLine(path: string): boolean {
  const name = path.toLowerCase();
  return SHOWN_IN_PROMPTS.test(name) || (name.startsWith("memory/") && name.endsWith(".md"));
}

/**
 * The hash of a line: 32-bit FNV-1a; blank lines have none. It marks labelled lines only, so that two lines with the
 * same hash label one line too many and never one too few.
 */
export function lineHash(line: string): string | undefined {
  const text = line.trim();
  if (text === "") return undefined;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(HASH_CHARS, "0");
}

/** The lines of a text that are not blank, trimmed. */
function linesOf(text: string): Set<string> {
  return new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  );
}

/**
 * The labels of a memory file after a write: its new lines have the labels of the run that wrote them, and lines that
 * stay keep theirs.
 * @param labels those of the run
 */
export function relabelLines(
  before: { text: string; labels: FileLabels | undefined } | undefined,
  after: string,
  labels: readonly Label[],
): FileLabels | undefined {
  const old = before === undefined ? new Set<string>() : linesOf(before.text);
  const wasWhole = before?.labels !== undefined && before.labels.lines === undefined;
  const lines = new Set<string>();
  for (const line of linesOf(after)) {
    const hash = lineHash(line) ?? "";
    const was = old.has(line) && (wasWhole || before?.labels?.lines?.has(hash) === true);
    const isNew = !old.has(line) && labels.length > 0;
    if (was || isNew) lines.add(hash);
  }
  return lines.size === 0 ? undefined : { labels: joinLabels(before?.labels?.labels, labels), lines };
}

/** A stretch of lines of a file that are all labelled, or all not. */
export interface Stretch {
  text: string;
  isLabelled: boolean;
}

/** A text of a file in stretches. Blank lines go with the stretch before them. */
export function stretches(text: string, { lines }: FileLabels): Stretch[] {
  if (lines === undefined) return [{ text, isLabelled: true }];
  const found: { lines: string[]; isLabelled: boolean }[] = [];
  for (const line of text.split("\n")) {
    const hash = lineHash(line);
    const last = found.at(-1);
    const isLabelled = hash === undefined ? (last?.isLabelled ?? false) : lines.has(hash);
    if (last?.isLabelled === isLabelled) last.lines.push(line);
    else found.push({ lines: [line], isLabelled });
  }
  return found.map((stretch) => ({ text: stretch.lines.join("\n"), isLabelled: stretch.isLabelled }));
}

/** A text as prompts show it: labelled lines are left out until the owner accepts them, and a line says so. */
export function withoutLabelled(text: string, labels: FileLabels): string {
  return stretches(text, labels)
    .map((stretch) => (stretch.isLabelled ? leftOut(stretch.text, labels) : stretch.text))
    .join("\n");
}

function leftOut(text: string, { labels }: FileLabels): string {
  const count = linesOf(text).size;
  const lines = count === 1 ? "1 line" : `${count} lines`;
  return `[${lines} from ${labelText(labels)}: left out here until your owner accepts the file; \`read\` shows them.]`;
}
