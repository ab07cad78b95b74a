import { CodeTracker } from "./markdown-code.ts";

/** A piece of what a model wrote: what people are to read, or what it thought, which it put into tags. */
export interface Piece {
  type: "text" | "reasoning";
  text: string;
}

/** Takes thoughts out of a text while it is being written. However the text arrives, the pieces are the same. */
export interface ThoughtSplitter {
  /** The pieces of one more delta, in order; what may be half a tag is held back. */
  push(delta: string): Piece[];
  /** What was held back, once there is no more to come. */
  end(): Piece[];
}

/** A model that was told to put what people see into `<final>`: what stands outside of it is a thought. */
export interface ThoughtOptions {
  onlyFinal?: boolean;
}

const NAMES = ["think", "thinking", "thought", "final"];
const ATTRIBUTES = `(?:\\s+[\\w-]+=["'][^"'<>\\n]{0,40}["'])*`;
const TAG = new RegExp(`^<\\s?(/?)\\s?(${NAMES.join("|")})${ATTRIBUTES}\\s?/?>`, "i");
/** The beginning of a tag: its name so far, and whatever may follow that. */
const OPEN_TAG = /^<\s?\/?\s?([a-z]*)([\s/][^<>\n]*)?$/i;
/** Longest tag, in UTF-16 units. */
const MAX_TAG_UNITS = 160;

/**
 * Takes `<think>…</think>` out of a text, and the tags around `<final>…</final>`, for models that have no other place for
 * their thoughts. A thought within a thought ends with its own tag, and where it was only spoken of, the outer one does; a
 * thought that is not closed ends where `<final>` begins, or goes on to the end. In code a tag is a text like any other.
 */
export function createThoughtSplitter({ onlyFinal = false }: ThoughtOptions = {}): ThoughtSplitter {
  const code = new CodeTracker();
  let held = "";
  let depth = 0;
  /** What came since a thought within a thought was closed: a thought if the outer one is closed as well. */
  let doubtful: string | undefined;
  let final: "awaited" | "open" | "over" = onlyFinal ? "awaited" : "open";
  /** What came before `<final>`: people read it only where that never comes. */
  let outside = "";
  let found: Piece[] = [];

  function give(type: Piece["type"], text: string): void {
    if (text === "") return;
    const last = found.at(-1);
    if (last?.type === type) last.text += text;
    else found.push({ type, text });
  }

  function take(text: string): void {
    if (doubtful !== undefined) doubtful += text;
    else if (depth > 0) give("reasoning", text);
    else if (final === "awaited") outside += text;
    else if (final === "over") give("reasoning", text);
    else {
      code.note(text);
      give("text", text);
    }
  }

  function settleDoubt(): void {
    give("reasoning", doubtful ?? "");
    doubtful = undefined;
  }

  function turn(name: string, isClosing: boolean): void {
    if (name === "final") {
      settleDoubt();
      depth = 0;
      give("reasoning", outside);
      outside = "";
      if (onlyFinal) final = isClosing ? "over" : "open";
    } else if (isClosing) {
      settleDoubt();
      depth = Math.max(0, depth - 1);
      if (depth > 0) doubtful = "";
    } else {
      settleDoubt();
      depth++;
    }
  }

  function split(text: string, isEnd: boolean): void {
    let rest = text;
    while (rest !== "") {
      const at = rest.indexOf("<");
      take(at === -1 ? rest : rest.slice(0, at));
      rest = at === -1 ? "" : rest.slice(at);
      const tag = TAG.exec(rest);
      if (tag !== null && !code.isInCode) {
        turn((tag[2] ?? "").toLowerCase(), tag[1] !== "");
        rest = rest.slice(tag[0].length);
      } else if (!isEnd && mayBecomeTag(rest)) {
        held = rest;
        rest = "";
      } else if (rest !== "") {
        take("<");
        rest = rest.slice(1);
      }
    }
  }

  function giveAll(): Piece[] {
    const all = found;
    found = [];
    return all;
  }

  return {
    push(delta) {
      const text = held + delta;
      held = "";
      split(text, false);
      return giveAll();
    },
    end() {
      const text = held;
      held = "";
      split(text, true);
      if (doubtful !== undefined) {
        const said = doubtful;
        [doubtful, depth] = [undefined, 0];
        take(said);
      }
      if (final === "awaited") give("text", outside);
      outside = "";
      return giveAll();
    },
  };
}

function mayBecomeTag(beginning: string): boolean {
  if (beginning.length > MAX_TAG_UNITS) return false;
  const [match, name = "", more] = OPEN_TAG.exec(beginning) ?? [];
  if (match === undefined) return false;
  const word = name.toLowerCase();
  return more === undefined ? NAMES.some((known) => known.startsWith(word)) : NAMES.includes(word);
}
