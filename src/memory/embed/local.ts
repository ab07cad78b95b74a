import { splitPieces } from "../text/pieces.ts";
import { wordTerms } from "../text/terms.ts";
import type { Embedder } from "./embedder.ts";
import { normalize } from "./unit-vectors.ts";

const DIMENSIONS = 512;

/**
 * Has to change with every change of the vectors, also by the terms of `text/`: vectors of two versions cannot be
 * compared.
 */
const MODEL = "hash-1";

/**
 * A hash of words and their parts: no key, no network, and the same vector on every machine. Texts are near if they
 * share words, forms of them, or words with similar spelling; it knows nothing of meaning.
 */
export function localEmbedder(): Embedder {
  return {
    id: "local",
    model: MODEL,
    dimensions: DIMENSIONS,
    space: `local/${MODEL}/${DIMENSIONS}`,
    sees: "letters",
    maxBatch: 256,
    embed: async (texts) => texts.map(hashText),
  };
}

// Weights of features, tuned on English conversations and Chinese and Japanese passages.
const STOP_WORD = 0.1;
const CHARACTER = 1.2;
const PAIR = 1;
/** All parts of a word together. */
const PARTS = 0.4;
const PART_CHARS = 3;

/** Stop words. A separate list, because a change of it needs a new model version. */
const STOP_WORDS = new Set(
  `a about after all an and any are as at be been before but by can could did do does for from had has have he her him his
   how i if in into is it its just me more my no not of off on or our out over she should so some such than that the their
   them then there these they this those to too up very was we were what when where which who why will with would you
   your`.split(/\s+/),
);

function hashText(text: string): Float32Array {
  // Repeated features count less each time. A square root is exact on every machine, a logarithm is not.
  const features = new Map<string, { count: number; weight: number }>();
  const add = (feature: string, weight: number): void => {
    const known = features.get(feature);
    if (known === undefined) features.set(feature, { count: 1, weight });
    else known.count++;
  };
  for (const piece of splitPieces(text)) {
    if (piece.kind === "word") addWord(piece.text, add);
    else addRun([...piece.text], add);
  }
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, { count, weight }] of features) {
    const hash = hashFeature(feature);
    const value = Math.sqrt(count) * weight;
    vector[hash % DIMENSIONS] = (vector[hash % DIMENSIONS] ?? 0) + (hash & SIGN ? -value : value);
  }
  // A text without words gets a direction of its own.
  if (!normalize(vector)) vector[0] = 1;
  return vector;
}

/** Adds the stems of a word, longer ones with more weight because they are rarer, and its trigrams with marked ends. */
function addWord(written: string, add: (feature: string, weight: number) => void): void {
  const word = written.toLowerCase();
  const isStop = STOP_WORDS.has(word);
  for (const stem of wordTerms(written)) {
    add(`w ${stem}`, (isStop ? STOP_WORD : 1) * Math.min(0.5 + stem.length / 8, 1.5));
  }
  if (isStop || word.length < PART_CHARS) return;
  const ended = `<${word.slice(0, MAX_WORD_CHARS)}>`;
  const count = ended.length - PART_CHARS + 1;
  for (let at = 0; at < count; at++) add(`p ${ended.slice(at, at + PART_CHARS)}`, PARTS / Math.sqrt(count));
}

/** Longer words are data. */
const MAX_WORD_CHARS = 64;

/** Adds characters of text without spaces, and pairs of them. */
function addRun(characters: readonly string[], add: (feature: string, weight: number) => void): void {
  for (const [at, character] of characters.entries()) {
    add(`c ${character}`, CHARACTER);
    const next = characters[at + 1];
    if (next !== undefined) add(`b ${character}${next}`, PAIR);
  }
}

/** A bit that is independent of the dimension. */
const SIGN = 0x8000_0000;

/** FNV-1a with mixed bits at the end, so that every bit depends on the text. */
function hashFeature(text: string): number {
  let hash = 0x9e3779b9 | 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
