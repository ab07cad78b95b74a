import { type ExternalSource, wrapExternal } from "./external-content.ts";
import { detectInjection } from "./external-content-detection.ts";
import { injectionLabel, joinLabels, type Label, labelText } from "./labels.ts";

/** Words that are not the owner's, as they come in. */
export interface OutsideWords {
  text: string;
  source: ExternalSource;
  /** Where they come from. */
  labels: readonly Label[];
  /** Lines about them, such as sender and subject. They are untrusted too. */
  metadata?: Readonly<Record<string, string>>;
  /** True where the prompt already says what the markers mean. */
  isBrief?: boolean;
}

/** What happens to words that look like a prompt injection, besides that it is noted: `security.injection.action`. */
export type InjectionAction = "log" | "block" | "strip-tools";

/** Words that have come in: fenced, with their labels. */
export interface LabelledText {
  /** Fenced as external content. */
  text: string;
  /** With a mark, under `strip-tools`, if the words look like a prompt injection. */
  labels: readonly Label[];
}

/** A suspicion for the log and the audit trail. It never holds the words themselves. */
export interface Suspicion {
  source: ExternalSource;
  labels: readonly Label[];
  /** The names of the patterns that the words match. */
  patterns: readonly string[];
}

/** What the door needs. */
export interface OutsidePort {
  onInjection: InjectionAction;
  /** Eight random bytes as 16 hex digits. */
  newFenceId(): string;
  /** Notes that words look like a prompt injection. Must not throw. */
  suspect(suspicion: Suspicion): void;
}

/** The most characters that are searched for patterns: the beginning, and the end. */
const MAX_SEARCHED = 40_000;

/**
 * The one way in for words that are not the owner's: fences them, looks for prompt injections, and gives them labels
 * that stay with them. Undetected text is fenced as well.
 */
export function fromOutside(
  { text, source, labels, metadata, isBrief }: OutsideWords,
  port: OutsidePort,
): LabelledText {
  const checked = checkWords({ text, labels }, port.onInjection);
  const { labels: known, patterns } = checked;
  if (patterns.length > 0) port.suspect({ source, labels, patterns });
  const from = labels.length === 0 ? {} : { From: labelText(known) };
  const wrapped = wrapExternal(checked.text, {
    ...{ source, id: port.newFenceId(), metadata: { ...from, ...metadata } },
    ...(isBrief && { isBrief }),
  });
  return { text: wrapped, labels: known };
}

/** Looks for prompt injections in words, and does what is set for them. The words are not fenced. */
export function checkWords(
  { text, labels }: Pick<OutsideWords, "text" | "labels">,
  action: InjectionAction,
): LabelledText & Pick<Suspicion, "patterns"> {
  const patterns = detectInjection(searchedPart(text));
  const [first] = patterns;
  const isMarked = first !== undefined && action === "strip-tools";
  return {
    text: first !== undefined && action === "block" ? withheld(text, patterns) : text,
    labels: joinLabels(labels, isMarked ? [injectionLabel(first)] : []),
    patterns,
  };
}

function withheld(text: string, patterns: readonly string[]): string {
  return `[${text.length} characters are withheld: they look like a prompt injection (${patterns.join(", ")}), and security.injection.action is block.]`;
}

function searchedPart(text: string): string {
  if (text.length <= MAX_SEARCHED) return text;
  return `${text.slice(0, MAX_SEARCHED / 2)}\n${text.slice(-MAX_SEARCHED / 2)}`;
}
