import { head } from "../lib/text.ts";
import { stripSilentToken } from "./silent-token.ts";

/** Most characters of reasoning that people are shown of one reply. */
const MAX_REASONING_CHARS = 3000;
/** Most characters of an error that people are shown of a tool. */
const MAX_FAILURE_CHARS = 200;

/** What is known at the end of a run about what there is to say. */
export interface Outcome {
  /** The last reply's reasoning, where people are to see it. */
  reasoning: string;
  /** What the last reply says and nobody was sent yet, in the order in which it is to be sent. */
  texts: readonly string[];
  /** What went wrong with the model. */
  error?: string;
  /** What the message tool has sent to the same conversation in this run. */
  sent: readonly string[];
  /** Whether a part of the last reply was sent while it was being written. */
  begun: boolean;
  /** Looks for a tool that has failed in the run. Asked only where nothing else is left to say. */
  failure(): ToolFailure | undefined;
}

/** A tool that failed, and has not done better since. */
export interface ToolFailure {
  tool: string;
  error: string;
}

/**
 * What a run says at its end, as Markdown, in order: the reasoning, what the last reply says, what went wrong with the
 * model. The silent token and what the message tool has said already are left out. Where nothing is left and a tool has
 * failed, that is said instead, unless people have been sent something.
 */
export function replyTexts({ reasoning, texts, error, sent, begun, failure }: Outcome): string[] {
  const answer = texts.map(stripSilentToken).filter((text) => text !== "" && !repeats(text, sent));
  const apology = error === undefined ? [] : [`The model did not answer: ${error}`];
  const thought = reasoning.trim() === "" || answer.length + apology.length === 0 ? [] : [reasoningText(reasoning)];
  const said = [...thought, ...answer, ...apology];
  if (said.length > 0 || begun || sent.length > 0) return said;
  const failed = failure();
  return failed === undefined ? [] : [failureText(failed)];
}

/** Reasoning as people are shown it: quoted, and not all of it where it is long. */
export function reasoningText(reasoning: string): string {
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

/** Fewest characters, bare, with which a text can be found in another by more than chance. */
const MIN_CHARS = 10;
/** Share of a text that has to be known already for the text to say nothing new. */
const KNOWN_SHARE = 0.8;

/**
 * Whether a text says nothing that was not sent before. Compared bare, without case, white space and Markdown's marks: it
 * is one of the texts, or stands in one (from 10 characters on), or consists of one by four fifths or more.
 */
export function repeats(text: string, sent: readonly string[]): boolean {
  const said = bare(text);
  return sent.some((other) => {
    const known = bare(other);
    if (said === known) return true;
    if (said.length >= MIN_CHARS && known.includes(said)) return true;
    return known.length >= Math.max(MIN_CHARS, KNOWN_SHARE * said.length) && said.includes(known);
  });
}

function bare(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s*_~`#>|\\]+/gu, "")
    .replace(/^[-+]|(?<![.!。！])[.!。！]+$/gu, "");
}
