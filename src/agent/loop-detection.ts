import { canonicalJson } from "../lib/json.ts";
import { callsOf, type Message, type ToolCallPart, type ToolMessage } from "../models/message.ts";
import type { RepetitionLimits } from "./loop-deps.ts";
import { leftOf } from "./pruning.ts";
import { FatalRunError } from "./run-error.ts";

/** Calls that were made again and again, in turn where they are several, and how often. */
export interface Repetition {
  tools: string[];
  times: number;
}

/** Most rounds that one turn of a circle has: `A B C A B C` is found, a longer one is not. */
const LONGEST_CIRCLE = 3;

/** The calls of one reply that have their result. */
type Round = readonly Done[];

/**
 * The result of a call as it is to be stored: with a note for the model where that call has given it too often. The note
 * is no part of the result when the next ones are compared with it.
 */
export function notingRepetition(
  result: ToolMessage,
  call: ToolCallPart,
  messages: readonly Message[],
  limits: RepetitionLimits,
): ToolMessage {
  if (!limits.enabled) return result;
  const rounds = roundsIn(messages);
  rounds.next();
  const { times } = longest([doneBy(call, result)], rounds);
  return times < limits.warnAfter ? result : { ...result, text: `${result.text}${noteOn(times, limits.stopAfter)}` };
}

/**
 * Ends the run of a model that goes in circles in spite of the note. It looks at nothing but the conversation, so it
 * comes to the same after a crash. A result that changes is progress, and so is a new message of a person.
 * @throws MustEnd `loop`
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

/** What the newest round of calls repeats; 0 times where nobody called anything since somebody last spoke. */
export function repetitionIn(messages: readonly Message[]): Repetition {
  const rounds = roundsIn(messages);
  const newest = rounds.next();
  return newest.done ? { tools: [], times: 0 } : longest(newest.value, rounds);
}

function longest(newest: Round, older: Iterable<Round>): Repetition {
  const rounds = new Rounds(newest, older);
  let found: Repetition = { tools: newest.slice(0, 1).map(({ tool }) => tool), times: 1 };
  for (let length = 1; length <= LONGEST_CIRCLE; length++) {
    const repetition = inCircle(rounds, length);
    if (repetition.times > found.times) found = repetition;
  }
  return found;
}

/**
 * How often the rounds went round a circle of so many of them, counted back from the newest one. A place of the circle
 * is taken by the calls that were made each time it was come by: other calls beside them do not make a circle less of one.
 */
function inCircle(rounds: Rounds, length: number): Repetition {
  const places: Round[] = [];
  let count = 0;
  for (;;) {
    const round = rounds.at(count);
    const place = places[count % length];
    const same = place === undefined ? round : round && common(place, round);
    if (same === undefined || same.length === 0) break;
    places[count % length] = same;
    count++;
  }
  const tools = places.flatMap((place) => place.slice(0, 1).map(({ tool }) => tool));
  return { tools: [...new Set(tools)].reverse(), times: Math.ceil(count / length) };
}

function common(a: Round, b: Round): Round {
  return a.filter((one) => b.some((other) => isSame(one, other)));
}

/** Rounds from the newest to the oldest, of which no more are looked at than is asked for. */
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

/** The rounds since somebody last spoke, the newest first. */
function* roundsIn(messages: readonly Message[]): Generator<Round, undefined> {
  const results = new Map<string, ToolMessage>();
  for (const message of messages.toReversed()) {
    if (message.role === "user") return;
    if (message.role === "tool") results.set(message.callId, message);
    else if (callsOf(message).length > 0) {
      yield callsOf(message).flatMap((call) => {
        const result = results.get(call.callId);
        return result === undefined ? [] : [doneBy(call, result)];
      });
      results.clear();
    }
  }
}

/** A call and what came of it, as far as it is compared with others. */
export interface Done {
  tool: string;
  /** What was called, and all of the result but its text. */
  call: string;
  /** How the text begins and ends: all of it, twice, unless it was shortened since. */
  first: string;
  last: string;
  /** Characters of the whole. */
  length: number;
}

/** Ids that are drawn anew for each result: where the whole of it is kept, and the fence around what others wrote. */
const DRAWN_ID = /spl_[0-9a-z]{26}|(?<=UNTRUSTED_CONTENT id=")[0-9a-f]{16}/g;

/** A call with its result. */
export function doneBy({ tool, args, invalidArgs = "" }: ToolCallPart, result: ToolMessage): Done {
  const { text, isError, images = [] } = result;
  const bare = withoutNote(text);
  const left = leftOf(bare);
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

/** Whether two calls were the same and gave the same; of a result that was shortened, as far as it is still there. */
export function isSame(a: Done, b: Done): boolean {
  if (a.call !== b.call || a.length !== b.length) return false;
  const begins = a.first.startsWith(b.first) || b.first.startsWith(a.first);
  return begins && (a.last.endsWith(b.last) || b.last.endsWith(a.last));
}

/** What a model is told below a result that it has been given so often. */
export function noteOn(times: number, stopAfter: number): string {
  const end = times < stopAfter ? `after ${stopAfter} times the run is stopped` : "the run is stopped now";
  return (
    `\n\n[System] You have made this call ${times} times and it gave the same result each time. Asking once more ` +
    `changes nothing: do something else, or say what is in the way. Otherwise ${end}.`
  );
}

const NOTE = /\n\n\[System\] You have made this call \d+ times and it gave the same result each time\.[^\n]*$/;

/** A result as it was before it was noted on. */
export function withoutNote(text: string): string {
  return text.replace(NOTE, "");
}
