import { type Fence, fenceAfter } from "./fence.ts";

/** Units of a line in which a fence shows, with its language. */
const FENCE_UNITS = 256;

/** Knows of a text that comes piece by piece whether what comes next is code, where a tag is a text like any other. */
export class CodeTracker {
  /** How the line at hand begins, how many backticks are in it, and the fence that was open before it. */
  #line = "";
  #ticks = 0;
  #fence: Fence | undefined;
  #isBlank = true;

  /** Takes note of what came. */
  note(text: string): void {
    const [first = "", ...others] = text.split("\n");
    this.#add(first);
    for (const next of others) {
      this.#fence = fenceAfter(this.#line, this.#fence);
      [this.#line, this.#ticks, this.#isBlank] = ["", 0, true];
      this.#add(next);
    }
  }

  /** Whether code is open: a fence, or backticks in the line at hand. */
  get isInCode(): boolean {
    return this.isFenced || this.#ticks % 2 === 1;
  }

  /** Whether a fence is open. */
  get isFenced(): boolean {
    return fenceAfter(this.#line, this.#fence) !== undefined;
  }

  /** Whether there is nothing but white space in the line at hand. */
  get isLineBlank(): boolean {
    return this.#isBlank;
  }

  #add(text: string): void {
    if (this.#line.length < FENCE_UNITS) this.#line += text.slice(0, FENCE_UNITS);
    this.#ticks += text.split("`").length - 1;
    this.#isBlank &&= text.trim() === "";
  }
}
