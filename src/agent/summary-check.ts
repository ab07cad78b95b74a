import { isSilent } from "./silent-token.ts";

/** The fewest words that a summary without headings and lists shares with what it summarizes. */
const LEAST_SHARED = 6;
/** The shortest word that counts; shorter ones are in every text. */
const LEAST_WORD = 4;
/** A conversation with so many names, numbers and paths keeps one of them at least. */
const MANY_FACTS = 3;

/**
 * Whether a text can be the summary of a conversation: it has the headings or lists that were asked for, or it shares
 * words with the conversation, and one of its names, numbers or paths. A refusal, an apology or a silent token does
 * not. In any language; nothing is understood.
 */
export function isSummaryOf(text: string, conversation: string): boolean {
  if (isSilent(text)) return false;
  if (HEADING_OR_LIST.test(text)) return true;
  const source = wordsOf(conversation);
  const shared = [...wordsOf(text)].filter((word) => source.has(word));
  if (shared.length < LEAST_SHARED) return false;
  const facts = factsOf(conversation);
  return facts.size < MANY_FACTS || [...factsOf(text)].some((fact) => facts.has(fact));
}

const HEADING_OR_LIST = /^\s*(?:#{1,6}\s|[-*•]\s|\d+[.)、]\s?|\*\*|【)/m;
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });
const IDEOGRAPHS = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;

/** The words of a text that can tell it from others, in small letters; of Chinese and Japanese those of two characters. */
function wordsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const { segment, isWordLike } of WORDS.segment(text)) {
    const least = IDEOGRAPHS.test(segment) ? 2 : LEAST_WORD;
    if (isWordLike && segment.length >= least) found.add(segment.toLowerCase());
  }
  return found;
}

/** Numbers of two digits or more, names within sentences, addresses and paths. */
function factsOf(text: string): Set<string> {
  const found = text.matchAll(/\d[\d.,:/-]*\d|(?<=\p{L} )\p{Lu}[\p{L}\d]{2,}|[\w.-]+[/@][\w./@-]+/gu);
  return new Set([...found].map(([fact]) => fact.toLowerCase()));
}
