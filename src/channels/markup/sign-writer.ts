import { WORD_JOINER, ZERO_WIDTH_SPACE } from "./invisible.ts";
import type { SignRule, Signs } from "./syntax.ts";

/** Writes text and signs; what a sign needs beside it depends on both sides, so signs wait for what follows. */
export class SignWriter {
  readonly #rule: SignRule;
  #written = "";
  /** What was written last. */
  #last = "";
  readonly #openSigns: string[] = [];
  #closing: string[] = [];
  #opening: string[] = [];

  constructor(rule: SignRule) {
    this.#rule = rule;
  }

  open([open, close]: Signs): void {
    this.#opening.push(open);
    this.#openSigns.push(close);
  }

  /** Closes the innermost open signs. */
  close(): void {
    const sign = this.#openSigns.pop();
    if (sign !== undefined) this.#closing.push(sign);
  }

  put(text: string): void {
    if (text === "") return;
    this.#putSigns(text);
    this.#append(text);
  }

  /** All that was written. */
  end(): string {
    this.#putSigns("");
    return this.#written;
  }

  #append(text: string): void {
    this.#written += text;
    this.#last = text;
  }

  #putSigns(next: string): void {
    if (this.#closing.length === 0 && this.#opening.length === 0) return;
    const [closing, opening] = [this.#closing, this.#opening];
    this.#closing = [];
    this.#opening = [];
    if (this.#rule === "words") this.#putBetweenWords(closing, opening, next);
    else if (this.#rule === "flanking") this.#putFlanking(joinSigns(closing), joinSigns(opening), next);
    else for (const sign of [...closing, ...opening]) this.#append(sign);
  }

  #putBetweenWords(closing: readonly string[], opening: readonly string[], next: string): void {
    for (const sign of closing) this.#append(sign);
    if (closing.some(isEmphasis) && !BEGINS_AT_WORD.test(opening[0] ?? next)) this.#append(ZERO_WIDTH_SPACE);
    if (opening.some(isEmphasis) && !ENDS_AT_WORD.test(this.#last)) this.#append(ZERO_WIDTH_SPACE);
    for (const sign of opening) this.#append(sign);
  }

  #putFlanking(closing: readonly string[], opening: readonly string[], next: string): void {
    // Two neighbours of the same characters would be one sign.
    const last = closing.at(-1) ?? "";
    const isAmbiguous = isEmphasis(last) && last[0] === opening[0]?.[0];
    const between = isAmbiguous ? [WORD_JOINER] : [];
    const following = [...closing, ...between, ...opening, next];
    for (const [index, sign] of closing.entries()) {
      const isHidden = ENDS_IN_PUNCTUATION.test(this.#last) && !BEGINS_APART.test(following[index + 1] ?? "");
      if (isEmphasis(sign) && isHidden) this.#append(WORD_JOINER);
      this.#append(sign);
    }
    for (const joiner of between) this.#append(joiner);
    for (const [index, sign] of opening.entries()) {
      // An exclamation mark would make the link a picture.
      if (sign.startsWith("[") && this.#last.endsWith("!")) this.#append(WORD_JOINER);
      const isHidden = BEGINS_WITH_PUNCTUATION.test(opening[index + 1] ?? next) && !ENDS_APART.test(this.#last);
      this.#append(sign);
      if (isEmphasis(sign) && isHidden) this.#append(WORD_JOINER);
    }
  }
}

/** Neighbours of the same characters are one sign to CommonMark. */
function joinSigns(signs: readonly string[]): string[] {
  const joined: string[] = [];
  for (const sign of signs) {
    const last = joined.at(-1);
    if (last !== undefined && isEmphasis(sign) && last[0] === sign[0]) joined[joined.length - 1] = last + sign;
    else joined.push(sign);
  }
  return joined;
}

function isEmphasis(sign: string): boolean {
  return /^(?:\*+|_+|~+|`)$/.test(sign);
}

/** The edge of a text where a platform takes a sign for one: white space, punctuation, or nothing. */
const BEGINS_AT_WORD = /^(?:$|[\s\u200b.,:;!?()"'])/;
const ENDS_AT_WORD = /(?:^|[\s\u200b.,:;!?()"'])$/;

const BEGINS_WITH_PUNCTUATION = /^[\p{P}\p{S}]/u;
const ENDS_IN_PUNCTUATION = /[\p{P}\p{S}]$/u;

/** White space, what is punctuation in every version of CommonMark, or nothing. */
const BEGINS_APART = /^(?:$|[\s\p{P}$+<=>^`|~])/u;
const ENDS_APART = /(?:^|[\s\p{P}$+<=>^`|~])$/u;
