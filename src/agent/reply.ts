import { head } from "../lib/text.ts";
import { stripSilentToken } from "./silent-token.ts";

/** The most characters of a reply's reasoning that are shown. */
const MAX_REASONING_CHARS = 3000;
/** The most characters of a tool error that are shown. */
const MAX_FAILURE_CHARS = 200;

/** The final reply of a run and what was sent before it. */
export interface FinalReply {
  /** The last reply's reasoning, if reasoning is shown; else empty. */
  reasoning: string;
  /** The texts of the last reply that were not sent yet, in order. */
  texts: readonly string[];
  /** The model's error. */
  error?: string;
  /** Texts that the message tool sent to the same conversation in this run. */
  sent: readonly string[];
  /** Whether a part of the last reply was sent while it streamed. */
  partlySent: boolean;
  /** Finds a failed tool of the run. Called only if there is nothing else to say. */
  failure(): ToolFailure | undefined;
  /** Whether the causes of errors are not told. */
  isForVisitor?: boolean;
}

/** What a visitor is told of any error. */
export const NOT_ANSWERED = "I could not answer this. Please try again later.";

/** A tool whose last call failed. */
export interface ToolFailure {
  tool: string;
  error: string;
}

/**
 * The texts to send at the end of a run, as Markdown, in order: reasoning, reply, model error. The silent token and
 * texts that the message tool already sent are left out. If nothing is left and nothing was sent, a failed tool is
 * reported.
 */
export function replyTexts({
  reasoning,
  texts,
  error,
  sent,
  partlySent,
  failure,
  isForVisitor = false,
}: FinalReply): string[] {
  const answer = texts.map(stripSilentToken).filter((text) => text !== "" && !repeats(text, sent));
  const apology = error === undefined ? [] : [`The model did not answer: ${error}`];
  const thought = reasoning.trim() === "" || answer.length + apology.length === 0 ? [] : [quotedReasoning(reasoning)];
  const all = [...thought, ...answer, ...apology];
  if (all.length > 0 || partlySent || sent.length > 0) return all;
  const failed = failure();
  return failed === undefined ? [] : [isForVisitor ? NOT_ANSWERED : failureText(failed)];
}

/** Reasoning as shown to people: quoted and shortened. */
export function quotedReasoning(reasoning: string): string {
  const whole = reasoning.trim();
  const kept = head(whole, MAX_REASONING_CHARS);
  const shown = kept.length < whole.length ? `${kept}…` : kept;
  return ["Reasoning:", "", ...shown.split("\n").map((line) => `> ${line}`.trimEnd())].join("\n");
}

function failureText({ tool, error }: ToolFailure): string {
  const line = error.trim().split("\n", 1)[0] ?? "";
  const shown = head(line, MAX_FAILURE_CHARS);
  return `⚠️ \`${tool}\` failed: ${shown.length < line.length ? `${shown}…` : shown}`;
}

/** The fewest bare characters with which finding a text in another is no coincidence. */
const MIN_CHARS = 10;
/** The share of a text that must be known for it to count as a repetition. */
const KNOWN_SHARE = 0.8;

/**
 * Whether a text repeats one that was sent. Both are compared bare, without case, white space and Markdown marks: the
 * text equals a sent one, is contained in one (from 10 characters), or consists of one to four fifths or more.
 */
export function repeats(text: string, sent: readonly string[]): boolean {
  const bareText = bare(text);
  return sent.some((other) => {
    const known = bare(other);
    if (bareText === known) return true;
    if (bareText.length >= MIN_CHARS && known.includes(bareText)) return true;
    return known.length >= Math.max(MIN_CHARS, KNOWN_SHARE * bareText.length) && bareText.includes(known);
  });
}

function bare(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s*_~`#>|\\]+/gu, "")
    .replace(/^[-+]|(?<![.!。！])[.!。！]+$/gu, "");
}
