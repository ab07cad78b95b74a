import { Problem } from "../../src/cli/problem.ts";

/** A line of a file, where the answer to a question stands. */
export interface Evidence {
  path: string;
  /** 1 is the first line. */
  line: number;
}

/** A question, and the lines that answer it. */
export interface Question {
  query: string;
  category: string;
  evidence: Evidence[];
}

/** What one agent remembers, and what it is asked. */
export interface MemorySet {
  name: string;
  /** The text of each file, by its path in the workspace. */
  files: Map<string, string>;
  questions: Question[];
  /** Words each of which is to be found by itself, by the file that lists them. */
  words: Map<string, string[]>;
}

/** A folder of sets. */
export interface MemoryFolder {
  sets: MemorySet[];
  /** Questions that name no evidence, and are not asked. */
  withoutEvidence: number;
}

/** The file that has a question a line: {conv, query, category_name, evidence: ["memory/2023-05-08.md#L7"]}. */
export const QUESTIONS_FILE = "queries.jsonl";
const WORDS_FILE = /^words[^/]*\.json$/;
const MEMORY_FILE = /^([^/]+)\/(MEMORY\.md|memory\.md|memory\/.+\.md)$/;
const EVIDENCE = /^(.+)#L([1-9]\d*)$/;
const LINE_END = /\r?\n/;

/** Whether a file of a folder has a part in it. */
export function isPart(path: string): boolean {
  return path === QUESTIONS_FILE || WORDS_FILE.test(path) || MEMORY_FILE.test(path);
}

/** The lines of a text, as editors count them. */
export function linesOf(text: string): string[] {
  return text.split(LINE_END);
}

/**
 * Makes sets of the files of a folder.
 * @param files the text of each file, by its path in the folder
 * @throws Problem that names the file, and the line, that cannot be understood
 */
export function readFolder(files: ReadonlyMap<string, string>): MemoryFolder {
  const text = files.get(QUESTIONS_FILE);
  if (text === undefined) throw new Problem(`There is no ${QUESTIONS_FILE} in it.`);
  const sets = new Map<string, MemorySet>();
  let withoutEvidence = 0;
  for (const [index, line] of linesOf(text).entries()) {
    if (line.trim() === "") continue;
    const { conv, question } = readQuestion(line, `${QUESTIONS_FILE}, line ${index + 1}`);
    const set = sets.get(conv) ?? newSet(conv, files);
    sets.set(conv, set);
    if (question.evidence.length === 0) withoutEvidence++;
    else set.questions.push(located(question, set, `${QUESTIONS_FILE}, line ${index + 1}`));
  }
  if (sets.size === 0) throw new Problem(`${QUESTIONS_FILE} has no question.`);
  const all = [...sets.values()];
  for (const [path, content] of files) {
    if (!WORDS_FILE.test(path)) continue;
    const words = readWords(content, path);
    setOf(words, all).words.set(path, words);
  }
  return { sets: all, withoutEvidence };
}

function newSet(name: string, files: ReadonlyMap<string, string>): MemorySet {
  const own = [...files].flatMap(([path, text]): [string, string][] => {
    const [, folder, rest] = MEMORY_FILE.exec(path) ?? [];
    return folder === name && rest !== undefined ? [[rest, text]] : [];
  });
  if (own.length === 0) throw new Problem(`There are no notes in ${name}/memory, which ${QUESTIONS_FILE} asks about.`);
  return { name, files: new Map(own), questions: [], words: new Map() };
}

function readQuestion(line: string, place: string): { conv: string; question: Question } {
  const value = parsed(line, place);
  if (typeof value !== "object" || value === null) throw new Problem(`${place}: it is no object.`);
  const { conv, query, category_name: category = "(none)", evidence = [] } = value as Record<string, unknown>;
  if (typeof conv !== "string" || conv === "") throw new Problem(`${place}: conv is to name a folder.`);
  if (typeof query !== "string" || query === "") throw new Problem(`${place}: query is to be a text.`);
  if (typeof category !== "string") throw new Problem(`${place}: category_name is to be a text.`);
  if (!Array.isArray(evidence)) throw new Problem(`${place}: evidence is to be a list.`);
  const named = [...new Set(evidence)].map((one) => {
    const [, path, number] = EVIDENCE.exec(String(one)) ?? [];
    if (path === undefined)
      throw new Problem(`${place}: '${one}' is no line of a file, such as memory/2023-05-08.md#L7.`);
    return { path, line: Number(number) };
  });
  return { conv, question: { query, category, evidence: named } };
}

/** @throws Problem where there is no such line */
function located(question: Question, set: MemorySet, place: string): Question {
  for (const { path, line } of question.evidence) {
    const text = set.files.get(path);
    if (text === undefined) throw new Problem(`${place}: there is no ${set.name}/${path}.`);
    const count = linesOf(text).length;
    if (line > count) throw new Problem(`${place}: ${set.name}/${path} has ${count} lines, and no line ${line}.`);
  }
  return question;
}

function readWords(text: string, path: string): string[] {
  const list = parsed(text, path);
  if (!Array.isArray(list)) throw new Problem(`${path}: it is no list of {word, passages}.`);
  return list.map((entry: { word?: unknown } | null) => {
    const word = entry?.word;
    if (typeof word !== "string" || word === "") throw new Problem(`${path}: each entry is to have a word.`);
    return word;
  });
}

/** The set that a list of words is about: a list does not name it, but its words stand there. */
function setOf(words: readonly string[], sets: readonly MemorySet[]): MemorySet {
  const counts = sets.map((set) => {
    const all = [...set.files.values()].join("\n");
    return { set, count: words.filter((word) => all.includes(word)).length };
  });
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).set;
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(`${place}: it is no JSON.`);
  }
}
