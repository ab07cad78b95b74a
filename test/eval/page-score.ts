import { z } from "zod";

/** What is known of a page: passages that its content has, and passages of the page outside of it. */
export const expectedPage = z.object({
  id: z.string(),
  url: z.string(),
  mustContain: z.array(z.string()),
  mustNotContain: z.array(z.string()),
});

/** How much of a page's content was found, and how much of what is around it, from 0 to 1; undefined if none is known. */
export interface PageScore {
  recall: number | undefined;
  leak: number | undefined;
}

/** Passages with fewer letters count as whole words only. */
const LEAST_LETTERS = 12;
const NO_WORD_BORDERS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Compares letters and digits alone: the marks of Markdown and the addresses of links do not count. */
export function scorePage(text: string, expected: z.infer<typeof expectedPage>): PageScore {
  const plain = withoutMarks(text);
  const [joined, spaced] = [letters(plain, ""), ` ${letters(plain, " ")} `];
  const has = (passage: string) => {
    const wanted = letters(withoutMarks(passage), "");
    if (wanted.length >= LEAST_LETTERS || NO_WORD_BORDERS.test(wanted)) return joined.includes(wanted);
    return spaced.includes(` ${letters(withoutMarks(passage), " ")} `);
  };
  return { recall: shareOf(expected.mustContain, has), leak: shareOf(expected.mustNotContain, has) };
}

/** A text without the addresses of links, images and tags. */
function withoutMarks(text: string): string {
  const address = String.raw`\((?:[^()\s]|\([^()\s]*\))*\)`;
  return text
    .normalize("NFKC")
    .replace(new RegExp(String.raw`!\[[^\]]*\]${address}`, "g"), "")
    .replace(new RegExp(String.raw`\]${address}`, "g"), "]")
    .replace(/<\/?[a-z][^<>]*>/gi, "");
}

function letters(text: string, between: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]|(?<=\p{L})['’](?=\p{L})/gu, "")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, between)
    .trim();
}

function shareOf(passages: readonly string[], has: (passage: string) => boolean): number | undefined {
  return passages.length === 0 ? undefined : passages.filter(has).length / passages.length;
}

/** The means over pages, in percent; a page's score is its recall, less the share that leaked. */
export function meanScores(scores: readonly PageScore[]): {
  pages: number;
  recall: number;
  leak: number;
  score: number;
} {
  const all = scores.map(({ recall = 1, leak = 0 }) => recall * (1 - leak));
  return {
    pages: scores.length,
    recall: percent(scores.flatMap(({ recall }) => recall ?? [])),
    leak: percent(scores.flatMap(({ leak }) => leak ?? [])),
    score: percent(all),
  };
}

function percent(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
  return Math.round(mean * 1000) / 10;
}
