import { callsOf, type Message, type ToolCallPart, type ToolMessage } from "../models/message.ts";
import { FatalRunError } from "./must-end.ts";
import { noteOn } from "./repetition-note.ts";
import { type Done, doneBy, isSame } from "./same-result.ts";

/** How often the same call may give the same result before the model is told so, and before its run ends. */
export interface RepetitionLimits {
  /** Whether anybody looks. */
  enabled: boolean;
  warnAfter: number;
  stopAfter: number;
}

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
