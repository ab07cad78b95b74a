import { wholeHead } from "../lib/text.ts";
import type { Hit, HitReason, SearchAnswer } from "../memory/agent-memory.ts";
import { mayHoldOutsideText } from "../memory/memory-paths.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import { fencedConversation, type RecallPort } from "./recall-port.ts";

/** About as many characters as all passages of a result have together, with their places. */
const MAX_CHARS = 5_000;
const MAX_QUERY_CHARS = 80;
const MAX_WORDS = 8;

/**
 * What a model is told of a search: each passage with its place, its score and why it was found, best first; and in plain sentences
 * what the search had to do without. What others than the owner may have written follows the rest, fenced off.
 */
export function hitsText(query: string, answer: SearchAnswer, port: Pick<RecallPort, "cites" | "newFenceId">): string {
  const { results, index } = answer;
  if (results.length === 0) return [nothing(query, index), ...caveats(answer)].join("\n");
  const { shown, left } = fitting(answer, port.cites);
  const own = shown.filter(({ hit }) => !mayHoldOutsideText(hit));
  const outside = shown.filter(({ hit }) => mayHoldOutsideText(hit));
  const notes = [
    ...(left > 0 ? [`${left} more did not fit here: ask for what is missing in other words.`] : []),
    ...caveats(answer),
  ];
  return [
    [`${counted(results.length, "passage")} found in ${counted(index.files, "file")}.`, ...notes].join("\n"),
    ...(own.length > 0 ? [textOf(own)] : []),
    ...(outside.length > 0 ? [fencedConversation(textOf(outside), port.newFenceId())] : []),
  ].join("\n\n");
}

interface Shown {
  hit: Hit;
  text: string;
}

/** The best passages that fit, one of them at least. */
function fitting({ results: hits, embedder }: SearchAnswer, cites: boolean): { shown: Shown[]; left: number } {
  const shown: Shown[] = [];
  // Made of words and their parts: no meaning is in it.
  const likeness = embedder?.provider === "local" ? "spelled alike" : "near in meaning";
  let deps = MAX_CHARS;
  for (const [i, hit] of hits.entries()) {
    const text = passage(hit, i + 1, { cites, likeness });
    if (text.length > deps && i > 0) return { shown, left: hits.length - i };
    shown.push({ hit, text });
    deps -= text.length;
  }
  return { shown, left: 0 };
}

function passage(hit: Hit, number: number, { cites, likeness }: { cites: boolean; likeness: string }): string {
  const { path, startLine, endLine, score, snippet, citation, reason } = hit;
  const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
  return [
    `${number}. ${sanitizeForPrompt(path)}, ${lines} (score ${score.toFixed(2)}: ${why(reason, likeness)})`,
    snippet,
    ...(cites ? [`Source: ${sanitizeForPrompt(citation)}`] : []),
  ].join("\n");
}

/** Why a passage was found, in words. */
function why({ keyword, vector, boosts, decay }: HitReason, likeness: string): string {
  const words = keyword?.terms.slice(0, MAX_WORDS).map(sanitizeForPrompt).join(", ");
  return [
    ...(keyword === undefined ? [] : [words ? `has ${words}` : "shares words"]),
    ...(vector === undefined ? [] : [likeness]),
    ...(boosts.includes("phrase") ? ["word for word"] : []),
    ...(boosts.includes("path") ? ["named by its path"] : []),
    ...(decay === undefined || decay === 1 ? [] : [`age leaves ${Math.round(decay * 100)} %`]),
  ].join("; ");
}

function textOf(shown: readonly Shown[]): string {
  return shown.map(({ text }) => text).join("\n\n");
}

function nothing(query: string, { files }: SearchAnswer["index"]): string {
  if (files === 0) return "Nothing to search yet: no memory file is indexed.";
  const asked = wholeHead(sanitizeForPrompt(query).trim(), MAX_QUERY_CHARS);
  return `Nothing found for “${asked}” in ${counted(files, "file")}. Try fewer or other words for it, its name in another language, or a lower minScore.`;
}

/** What the search had to do without. */
function caveats({ degraded, index: { pending } }: SearchAnswer): string[] {
  const isTold = degraded?.code === "index_incomplete";
  return [
    ...(degraded === undefined ? [] : [sanitizeForPrompt(degraded.message)]),
    ...(pending > 0 && !isTold
      ? [`${counted(pending, "changed file")} not indexed yet: what is new there may be missing.`]
      : []),
  ];
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
