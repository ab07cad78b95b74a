import { CONCEPTS, type Concept } from "./external-content-lexicon.ts";

/** Concepts that, close together in one sentence, are a sign of instructions to the agent. */
export interface InjectionFeature {
  /** Its name in events and audit rows. */
  name: string;
  /** Each must occur. */
  all: readonly Concept[];
  /** The most UTF-16 units from the first to the last of them. */
  within: number;
}

/** Our combinations of concepts, in every language of the word lists. */
export const INJECTION_FEATURES: readonly InjectionFeature[] = [
  { name: "drops-earlier-rules", all: ["drop", "earlier", "rules"], within: 90 },
  { name: "drops-your-rules", all: ["drop", "your", "rules"], within: 70 },
  { name: "rules-are-over", all: ["over", "your", "rules"], within: 90 },
  { name: "drops-for-this", all: ["drop", "obeyThis"], within: 120 },
  { name: "drops-for-user", all: ["drop", "user", "carryOut"], within: 90 },
  { name: "role-orders", all: ["role", "must"], within: 120 },
  { name: "role-acts", all: ["role", "act"], within: 120 },
  { name: "role-speaks-to-reader", all: ["role", "reader"], within: 60 },
  { name: "reader-if", all: ["if", "reader", "act"], within: 100 },
  { name: "hidden-from-user", all: ["hush", "user"], within: 60 },
  { name: "sends-private", all: ["send", "private", "address"], within: 160 },
  { name: "hides-this-text", all: ["hush", "thisText"], within: 50 },
  { name: "sends-secretly", all: ["secretly", "send"], within: 40 },
  { name: "sends-private-through", all: ["send", "private", "outlet"], within: 160 },
  { name: "puts-private-in", all: ["put", "private", "outlet"], within: 160 },
  { name: "drops-safety", all: ["drop", "safety"], within: 60 },
  { name: "disables-safety", all: ["disable", "safety"], within: 50 },
  { name: "responds-free", all: ["respond", "free"], within: 60 },
  { name: "disguised", all: ["disguised"], within: 1 },
  { name: "mode-unsafe", all: ["mode", "safety"], within: 120 },
  { name: "safety-is-over", all: ["over", "safety", "your"], within: 80 },
  { name: "shows-role", all: ["show", "role"], within: 80 },
  { name: "mode-free", all: ["mode", "free"], within: 120 },
  { name: "mode-switched", all: ["mode", "respond", "drop"], within: 120 },
  { name: "pretends-free", all: ["pretend", "free"], within: 120 },
  { name: "reader-free", all: ["reader", "free"], within: 80 },
  { name: "shows-prompt", all: ["show", "prompt"], within: 80 },
  { name: "draws-out-secret", all: ["drawOut", "secret"], within: 60 },
  { name: "remembers-for-later", all: ["remember", "later", "always"], within: 140 },
  { name: "authority-orders", all: ["authority", "ordersYou"], within: 120 },
  { name: "reader-ordered", all: ["reader", "ordersYou"], within: 80 },
  { name: "reader-of-this", all: ["reader", "visits"], within: 60 },
  { name: "decodes-and-obeys", all: ["decode", "carryOut"], within: 100 },
];

const OPEN_ENDED = /[\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

const ROLE =
  "(?:system|sistema|système|systeme|система|系统|系統|システム|시스템|sistem|admin(?:istrator)?|administrador|администратор|管理员|管理者|developer|entwickler|разработчик|开发者|operator|assistant)";
const ROLE_NOUN =
  "(?:message|notice|note|override|update|alert|prompt|instructions?|command|reminder|log|nachricht|hinweis|mensaje|aviso|messaggio|mensagem|сообщение|уведомление|команда|消息|通知|提示|指令|メッセージ|命令|메시지|알림)";
/** A role in brackets of any form, or as the name of who speaks at the beginning of a line. */
const ROLE_NAME = new RegExp(
  String.raw`[[{(<【〔「『«‹*#]\s?${ROLE}(?=[\s_-]?${ROLE_NOUN}?\s?(?:[\]})>】〕」』»›*#:]|\n))|(?<![^\n])(?:${ROLE}|tool (?:output|result|response))(?=\s?:)`,
  "gu",
);
const ADDRESS = /https?:|www\.|@[a-z0-9-]{1,40}\./g;

/** Before a command: what makes it no command. */
const NO_COMMAND = new Set(
  "instruction not never t cannot they we i he she it who which people users can could would may might did does do to nicht nie не pas non não no nunca jamais ne niet".split(
    " ",
  ),
);
/** The last two words of the same clause. */
const WORDS_BEFORE = /(?:(\p{L}{1,20})[\s'])?(\p{L}{1,20})\s$/u;
const NEGATED_BEFORE = /[不勿别別][要能可用会會]?$/;
const NEGATED_AFTER = /^ (?:nicht|nie|pas|jamais|not)\b/;

interface Entry {
  phrase: string;
  concept: Concept;
  isCommand: boolean;
  /** Whether longer words that begin with the phrase count. */
  isBeginning: boolean;
}

/** The phrases by a number of their first two UTF-16 units. */
const BUCKETS = buckets();

function bucketOf(text: string, at: number): number {
  return (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) & 0xfff;
}

function buckets(): readonly (readonly Entry[] | undefined)[] {
  const found: Entry[][] = [];
  for (const [concept, lines] of Object.entries(CONCEPTS) as [Concept, readonly string[]][]) {
    for (const word of lines.join("|").normalize("NFKC").split("|")) {
      const phrase = word.replace(/^!|\*$/g, "");
      const isBeginning = word.endsWith("*") || OPEN_ENDED.test(phrase.at(-1) ?? "");
      const bucket = bucketOf(phrase, 0);
      found[bucket] = [...(found[bucket] ?? []), { phrase, concept, isCommand: word.startsWith("!"), isBeginning }];
    }
  }
  return Array.from({ length: 0x1000 }, (_, bucket) => found[bucket]);
}

const FEATURES_BY_CONCEPT: ReadonlyMap<Concept, readonly InjectionFeature[]> = new Map(
  ([...Object.keys(CONCEPTS), "role", "address"] as Concept[]).map((concept) => [
    concept,
    INJECTION_FEATURES.filter(({ all }) => all.includes(concept)),
  ]),
);

/** The names of the features of a normalized text, in list order. One pass over its words. */
export function findFeatures(text: string): string[] {
  const found = new Set<InjectionFeature>();
  const last = new Map<Concept, number>();
  const note = (concept: Concept, at: number): void => {
    last.set(concept, at);
    for (const feature of FEATURES_BY_CONCEPT.get(concept) ?? []) if (isComplete(feature, last, at)) found.add(feature);
  };
  const special = specialConcepts(text);
  const spaced = text.replaceAll("\n", " ");
  let next = special.next();
  for (let at = 0; at < spaced.length; at++) {
    for (; !next.done && next.value.at <= at; next = special.next()) note(next.value.concept, at);
    if (isEnd(spaced, at)) last.clear();
    if (!isLetter(spaced.charCodeAt(at)) || !beginsWord(spaced, at)) continue;
    for (const entry of BUCKETS[bucketOf(spaced, at)] ?? []) if (isHere(entry, spaced, at)) note(entry.concept, at);
  }
  return INJECTION_FEATURES.filter((feature) => found.has(feature)).map(({ name }) => name);
}

function* specialConcepts(text: string): Generator<{ concept: Concept; at: number }> {
  const roles = Array.from(text.matchAll(ROLE_NAME), ({ index }) => ({ concept: "role" as const, at: index }));
  const addresses = Array.from(text.matchAll(ADDRESS), ({ index }) => ({ concept: "address" as const, at: index }));
  yield* [...roles, ...addresses].toSorted((a, b) => a.at - b.at);
}

function isComplete({ all, within }: InjectionFeature, last: ReadonlyMap<Concept, number>, at: number): boolean {
  return all.every((concept) => (last.get(concept) ?? Number.NEGATIVE_INFINITY) >= at - within);
}

/** Whether a sentence ends here: an ideographic full stop does, a full stop before a space too. */
function isEnd(text: string, at: number): boolean {
  switch (text.charCodeAt(at)) {
    case 0x2e:
      return /[\s"'”)\]]/.test(text.charAt(at + 1)) || at + 1 === text.length;
    case 0x21:
    case 0x3f:
    case 0x61f:
    case 0x964:
    case 0x3002:
      return true;
    default:
      return false;
  }
}

/** Letters, digits and marks, and all of the other planes; wide enough to find the borders of words. */
function isLetter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x2e;
  return code >= 0xc0 && (code < 0x2000 || code > 0x206f) && (code < 0x3000 || code > 0x3030) && code < 0xff00;
}

function hasNoSpaces(code: number): boolean {
  return code >= 0x3040 && code <= 0x9fff;
}

function beginsWord(text: string, at: number): boolean {
  if (at === 0 || hasNoSpaces(text.charCodeAt(at))) return true;
  const before = text.charCodeAt(at - 1);
  return !isLetter(before) || hasNoSpaces(before) || before === 0x2e;
}

function isHere({ phrase, isBeginning, isCommand }: Entry, text: string, at: number): boolean {
  if (!text.startsWith(phrase, at)) return false;
  const end = at + phrase.length;
  const after = text.charCodeAt(end);
  if (!isBeginning && isLetter(after) && after !== 0x2e && !hasNoSpaces(after)) return false;
  return !isCommand || isCommandHere(text, at, end);
}

function isCommandHere(text: string, start: number, end: number): boolean {
  if (text[end] === "は" || NEGATED_BEFORE.test(text.slice(Math.max(0, start - 2), start))) return false;
  if (NEGATED_AFTER.test(text.slice(end, end + 9))) return false;
  const words = WORDS_BEFORE.exec(text.slice(Math.max(0, start - 24), start));
  return !NO_COMMAND.has(words?.[2] ?? "") || (words?.[2] === "to" && words[1] === "you");
}
