import type { MemoryResults } from "../client/wire.ts";
import type { Texts } from "./texts.ts";

/** A piece of a passage, and whether it matches a term of the query. */
export interface Piece {
  text: string;
  isAsked: boolean;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
/** Endings by which the forms of an English word differ. */
const ENDING = /^(?:s|es|d|ed|e|er|ers|ing|ings|ly|y|ies|ied|ion|ions)?$/;
const LEAST_STEM = 3;
const MAX_TERMS = 6;

/** Splits a passage at the terms of a query; other forms of a word match too (`vaccinated` for `vaccinate`). */
export function marked(passage: string, terms: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  let read = 0;
  for (const { start, end } of joined([...spaced(passage, terms), ...unspaced(passage, terms)])) {
    pieces.push(
      { text: passage.slice(read, start), isAsked: false },
      { text: passage.slice(start, end), isAsked: true },
    );
    read = end;
  }
  return [...pieces, { text: passage.slice(read), isAsked: false }].filter(({ text }) => text !== "");
}

/** The name of the vectors' similarity: `local` vectors compare spelling, others compare meaning. */
export function similarityName({ embedder }: Pick<MemoryResults, "embedder">, texts: Texts): string {
  return embedder?.provider === "local" ? texts.bySpelling : texts.byMeaning;
}

/** Why a passage was found, as texts of the page. */
export function whyFound(
  { keyword, vector, boosts, decay }: MemoryResults["results"][number]["reason"],
  similarity: string,
  texts: Texts,
): string[] {
  const terms = keyword?.terms ?? [];
  const some = terms.slice(0, MAX_TERMS).join(", ") + (terms.length > MAX_TERMS ? " …" : "");
  return [
    ...(keyword === undefined ? [] : [some === "" ? texts.byWords : `${texts.byWords}: ${some}`]),
    ...(vector === undefined ? [] : [`${similarity} ${vector.similarity.toFixed(2)}`]),
    ...(boosts.includes("phrase") ? [texts.wordForWord] : []),
    ...(boosts.includes("path") ? [texts.inPath] : []),
    ...(decay === undefined || decay === 1 ? [] : [`${texts.byAge} ${Math.round(decay * 100)} %`]),
  ];
}

interface Place {
  start: number;
  end: number;
}

function spaced(passage: string, terms: readonly string[]): Place[] {
  const wanted = terms.filter((term) => !UNSPACED.test(term)).map((term) => term.toLowerCase());
  return [...passage.matchAll(WORD)].flatMap(({ index, 0: word }) => {
    const lower = word.toLowerCase();
    return wanted.some((term) => isAlike(lower, term)) ? [{ start: index, end: index + word.length }] : [];
  });
}

function unspaced(passage: string, terms: readonly string[]): Place[] {
  return terms.flatMap((term) => {
    const places: Place[] = [];
    if (!UNSPACED.test(term)) return places;
    for (let at = passage.indexOf(term); at !== -1; at = passage.indexOf(term, at + term.length)) {
      places.push({ start: at, end: at + term.length });
    }
    return places;
  });
}

function isAlike(a: string, b: string): boolean {
  if (a === b) return true;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return same >= LEAST_STEM && ENDING.test(a.slice(same)) && ENDING.test(b.slice(same));
}

/** Sorts ranges and joins those that touch. */
function joined(places: Place[]): Place[] {
  const result: Place[] = [];
  for (const { start, end } of places.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
