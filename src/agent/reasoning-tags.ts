import { CodeTracker } from "./markdown-code.ts";

/** A part of a model's text: visible text, or reasoning that was between tags. */
export interface ReplyPiece {
  type: "text" | "reasoning";
  text: string;
}

/** Separates reasoning from a text while it streams. How the text is split into deltas does not change the pieces. */
export interface ReasoningSplitter {
  /** The pieces of one more delta, in order; a possible partial tag is held back. */
  push(delta: string): ReplyPiece[];
  /** The text held back, at the end. */
  end(): ReplyPiece[];
}

/** For a model that was asked to put the visible text into `<final>`: everything outside of it is reasoning. */
export interface ReasoningOptions {
  onlyFinal?: boolean;
}

const NAMES = ["think", "thinking", "thought", "final"];
const ATTRIBUTES = `(?:\\s+[\\w-]+=["'][^"'<>\\n]{0,40}["'])*`;
const TAG = new RegExp(`^<\\s?(/?)\\s?(${NAMES.join("|")})${ATTRIBUTES}\\s?/?>`, "i");
/** The beginning of a tag: the name so far and attributes. */
const OPEN_TAG = /^<\s?\/?\s?([a-z]*)([\s/][^<>\n]*)?$/i;
/** The longest tag, in UTF-16 units. */
const MAX_TAG_UNITS = 160;

/**
 * Removes `<think>…</think>` and the tags around `<final>…</final>`, for models without a separate field for reasoning.
 * A nested block ends with its own closing tag; if there is none, the outer tag closes both. An unclosed block ends at
 * `<final>` or with the text. Tags inside code are plain text.
 */
export function createReasoningSplitter({ onlyFinal = false }: ReasoningOptions = {}): ReasoningSplitter {
  const code = new CodeTracker();
  let held = "";
  let depth = 0;
  /** Text since a nested block was closed: reasoning if the outer block is closed too, else visible. */
  let doubtful: string | undefined;
  let final: "awaited" | "open" | "over" = onlyFinal ? "awaited" : "open";
  /** Text before `<final>`: visible only if `<final>` never comes. */
  let outside = "";
  let found: ReplyPiece[] = [];

  function give(type: ReplyPiece["type"], text: string): void {
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

  function giveAll(): ReplyPiece[] {
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
        const rest = doubtful;
        [doubtful, depth] = [undefined, 0];
        take(rest);
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
