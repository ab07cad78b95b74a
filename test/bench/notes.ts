import type { MemorySet, Question } from "../eval/memory-folder.ts";

/** Characters that a chunk adds: about 400 tokens, of which it shares 80 with its neighbour. */
const CHARS_PER_CHUNK = 1250;
/** Of one day. */
const CHUNKS_PER_FILE = 50;
const LINES_PER_SECTION = 12;
const WORDS = 30_000;
const FIRST_DAY = Date.UTC(2019, 0, 1);
const DAY_MS = 86_400_000;

/** What the most frequent words are, as in every English text. */
const FUNCTION_WORDS = (
  "the and to of a in that it is was for on with as he be at by i this had not are but from or have an they which one you " +
  "were her all she there would their we him been has when who will no more if out so said what up its about"
).split(" ");

const ONSETS = "b c d f g h j k l m n p r s t v w br ch cl cr dr fl gr pl pr sh sl st th tr".split(" ");
const VOWELS = "a a e e i i o u ai ea oa".split(" ");
const CODAS = "l m n r t ck nd nt rm st".split(" ");
const ENDINGS = ["", "", "", "s", "ed", "ing"];

/** Numbers from 0 up to 1 that are the same for the same seed. */
export type Chance = () => number;

/** The generator "mulberry32". */
export function chanceOf(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Dated notes of about so many chunks, whose words are as frequent as those of real texts (Zipf's law), and questions that
 * take up words of a line, each with that line as its evidence. The same arguments give the same notes.
 */
export function writeNotes(chunks: number, questions: number, seed = 7): MemorySet {
  const chance = chanceOf(seed);
  const word = zipf(vocabulary(chance), chance);
  const days = Math.ceil(chunks / CHUNKS_PER_FILE);
  const files = new Map<string, string>();
  for (let day = 0; day < days; day++) {
    const date = new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
    const size = (chunks * CHARS_PER_CHUNK) / days;
    files.set(`memory/${date}.md`, dailyNote(date, size, word, chance));
  }
  const paths = [...files.keys()];
  const asked = Array.from({ length: questions }, () => {
    const path = paths[Math.floor(chance() * paths.length)] ?? "";
    return question(path, files.get(path) ?? "", chance);
  });
  return { name: "notes", files, questions: asked, words: new Map() };
}

function dailyNote(date: string, size: number, word: () => string, chance: Chance): string {
  const lines = [`# ${date}`];
  for (let length = 0, count = 0; length < size; count++) {
    if (count % LINES_PER_SECTION === 0) lines.push("", `## ${capital(word())} ${word()}`, "");
    const words = Array.from({ length: 8 + Math.floor(chance() * 18) }, word);
    const line = `- ${capital(words.join(" "))}.`;
    lines.push(line);
    length += line.length + 1;
  }
  return `${lines.join("\n")}\n`;
}

/** Asks for a line with three of its words that are no function words. */
function question(path: string, text: string, chance: Chance): Question {
  const lines = text.split("\n");
  const own = lines.flatMap((line, index) => (line.startsWith("- ") ? [{ line, number: index + 1 }] : []));
  const { line, number } = own[Math.floor(chance() * own.length)] ?? { line: "", number: 1 };
  const words = [...new Set(line.toLowerCase().match(/[a-z]+/g))].filter((one) => !FUNCTION_WORDS.includes(one));
  const [first, second = first, third = second] = words
    .map((one) => ({ one, at: chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
  const query = `When did the ${first} ${second} by the ${third}?`;
  return { query, category: "line", evidence: [{ path, line: number }] };
}

function vocabulary(chance: Chance): string[] {
  const words = new Set(FUNCTION_WORDS);
  const any = (list: readonly string[]) => list[Math.floor(chance() * list.length)] ?? "";
  while (words.size < WORDS) {
    const syllables = Array.from({ length: 1 + Math.floor(chance() * 3) }, () => any(ONSETS) + any(VOWELS));
    words.add(syllables.join("") + any(CODAS) + any(ENDINGS));
  }
  return [...words];
}

/** Takes words so that the n-th of the vocabulary is n times rarer than the first. */
function zipf(words: readonly string[], chance: Chance): () => string {
  const sums: number[] = [];
  for (let rank = 1, sum = 0; rank <= words.length; rank++) {
    sum += 1 / rank;
    sums.push(sum);
  }
  const all = sums.at(-1) ?? 0;
  return () => {
    const wanted = chance() * all;
    let low = 0;
    for (let high = sums.length - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? all) < wanted) low = middle + 1;
      else high = middle;
    }
    return words[low] ?? "";
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
