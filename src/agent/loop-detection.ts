import { canonicalJson } from "../lib/json.ts";
import { type Message, type ToolCallPart, type ToolMessage, toolCalls } from "../models/message.ts";
import type { RepetitionLimits } from "./loop-deps.ts";
import { prunedExcerpt } from "./pruning.ts";
import { FatalRunError } from "./run-error.ts";

/** The calls that a model repeats, in turn if there are several, and how often. */
export interface Repetition {
  tools: string[];
  times: number;
}

/** The longest detected cycle, in rounds: `A B C A B C` is detected, a longer cycle is not. */
const LONGEST_CYCLE = 3;

/** The completed calls of one reply. */
type Round = readonly CompletedCall[];

/**
 * The result of a call to store, with a note for the model if the call gave it too often. Later comparisons ignore the
 * note.
 */
export function withRepetitionNote(
  result: ToolMessage,
  call: ToolCallPart,
  messages: readonly Message[],
  limits: RepetitionLimits,
): ToolMessage {
  if (!limits.enabled) return result;
  const rounds = roundsIn(messages);
  rounds.next();
  const { times } = longestRepetition([completedCall(call, result)], rounds);
  return times < limits.warnAfter
    ? result
    : { ...result, text: `${result.text}${repetitionNote(times, limits.stopAfter)}` };
}

/**
 * Ends the run of a model that continues to repeat itself despite the note. It depends only on the conversation, so it
 * decides the same after a crash. A changed result or a new user message resets the count.
 * @throws FatalRunError `loop`
 */
export function stopRepetition(messages: readonly Message[], { enabled, stopAfter }: RepetitionLimits): void {
  if (!enabled) return;
  const { tools, times } = repetitionIn(messages);
  if (times < stopAfter) return;
  const names = tools.map((tool) => `\`${tool}\``).join(", ");
  const what = tools.length === 1 ? `it called ${names}` : `it called ${names} in turn,`;
  throw new FatalRunError(
    "loop",
    `The agent went round in circles and was stopped: ${what} ${times} times with the same arguments and the same results.`,
  );
}

/** What the newest round repeats; 0 times without calls since the last user message. */
export function repetitionIn(messages: readonly Message[]): Repetition {
  const rounds = roundsIn(messages);
  const newest = rounds.next();
  return newest.done ? { tools: [], times: 0 } : longestRepetition(newest.value, rounds);
}

function longestRepetition(newest: Round, older: Iterable<Round>): Repetition {
  const rounds = new Rounds(newest, older);
  let found: Repetition = { tools: newest.slice(0, 1).map(({ tool }) => tool), times: 1 };
  for (let length = 1; length <= LONGEST_CYCLE; length++) {
    const repetition = repetitionOfLength(rounds, length);
    if (repetition.times > found.times) found = repetition;
  }
  return found;
}

/**
 * How often a cycle of this many rounds was repeated, counted back from the newest round. Of each round in the cycle
 * only the calls count that occur every time; others beside them do not hide a cycle.
 */
function repetitionOfLength(rounds: Rounds, length: number): Repetition {
  const places: Round[] = [];
  let count = 0;
  for (;;) {
    const round = rounds.at(count);
    const place = places[count % length];
    const same = place === undefined ? round : round && sharedCalls(place, round);
    if (same === undefined || same.length === 0) break;
    places[count % length] = same;
    count++;
  }
  const tools = places.flatMap((place) => place.slice(0, 1).map(({ tool }) => tool));
  return { tools: [...new Set(tools)].reverse(), times: Math.ceil(count / length) };
}

function sharedCalls(a: Round, b: Round): Round {
  return a.filter((one) => b.some((other) => isSameCall(one, other)));
}

/** The rounds from the newest to the oldest, read only as far as needed. */
class Rounds {
  readonly #known: Round[];
  readonly #older: Iterator<Round>;

  constructor(newest: Round, older: Iterable<Round>) {
    this.#known = [newest];
    this.#older = older[Symbol.iterator]();
  }

  at(index: number): Round | undefined {
    while (this.#known.length <= index) {
      const next = this.#older.next();
      if (next.done) return undefined;
      this.#known.push(next.value);
    }
    return this.#known[index];
  }
}

/** The rounds since the last user message, the newest first. */
function* roundsIn(messages: readonly Message[]): Generator<Round, undefined> {
  const results = new Map<string, ToolMessage>();
  for (const message of messages.toReversed()) {
    if (message.role === "user") return;
    if (message.role === "tool") results.set(message.callId, message);
    else if (toolCalls(message).length > 0) {
      yield toolCalls(message).flatMap((call) => {
        const result = results.get(call.callId);
        return result === undefined ? [] : [completedCall(call, result)];
      });
      results.clear();
    }
  }
}

/** A call and its result, reduced to what is compared. */
export interface CompletedCall {
  tool: string;
  /** The call and everything of its result except the text. */
  call: string;
  /** The head and the tail of the text; both are the whole text unless it was pruned. */
  first: string;
  last: string;
  /** The length of the whole text. */
  length: number;
}

/** Random ids that differ in equal results: of a spilled text, and of the fence around external content. */
const DRAWN_ID = /spl_[0-9a-z]{26}|(?<=UNTRUSTED_CONTENT id=")[0-9a-f]{16}/g;

/** The comparable form of a call and its result. */
export function completedCall({ tool, args, invalidArgs = "" }: ToolCallPart, result: ToolMessage): CompletedCall {
  const { text, isError, images = [] } = result;
  const bare = withoutRepetitionNote(text);
  const left = prunedExcerpt(bare);
  const noteLength = text.length - bare.length;
  return {
    tool,
    call: canonicalJson([tool, args, invalidArgs, isError, images.map(({ path }) => path)]),
    first: withoutIds(left?.first ?? bare),
    last: withoutIds(left?.last ?? bare),
    length: left === undefined ? bare.length : left.length - noteLength,
  };
}

function withoutIds(text: string): string {
  return text.replace(DRAWN_ID, (id) => "_".repeat(id.length));
}

/** Whether two calls and their results are equal; of pruned results the remaining parts are compared. */
export function isSameCall(a: CompletedCall, b: CompletedCall): boolean {
  if (a.call !== b.call || a.length !== b.length) return false;
  const begins = a.first.startsWith(b.first) || b.first.startsWith(a.first);
  return begins && (a.last.endsWith(b.last) || b.last.endsWith(a.last));
}

/** The note for a model below a result that it got too often. */
export function repetitionNote(times: number, stopAfter: number): string {
  const end = times < stopAfter ? `after ${stopAfter} times the run is stopped` : "the run is stopped now";
  return (
    `\n\n[System] You have made this call ${times} times and it gave the same result each time. Asking once more ` +
    `changes nothing: do something else, or say what is in the way. Otherwise ${end}.`
  );
}

const NOTE_PATTERN = /\n\n\[System\] You have made this call \d+ times and it gave the same result each time\.[^\n]*$/;

/** A result without the note. */
export function withoutRepetitionNote(text: string): string {
  return text.replace(NOTE_PATTERN, "");
}
