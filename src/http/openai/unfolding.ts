import { mayBeSilent, stripSilentToken, withoutTokenBefore } from "../../agent/silent-token.ts";

/** Said to a reader who was told the beginning of an answer that the model then did not give after all. */
export const BEGINS_ANEW = "\n\n[The answer was interrupted here and begins anew.]\n\n";

/** What may turn out to be a token at the end of a text, or space after its last word, once more has come. */
const UNCERTAIN = /[^\p{L}\p{N}]*(?:N(?:O(?:_(?:R(?:E(?:P(?:L(?:Y[^\p{L}\p{N}]*)?)?)?)?)?)?)?)?$/u;
const MAX_UNCERTAIN_CHARS = 64;

/**
 * One message of a model, told piece by piece to a reader from whom nothing can be taken back: put together, the pieces
 * are what is to be said of the whole. What may be part of the token for saying nothing waits for what comes after it;
 * thoughts have no such token.
 *
 * After a restart it goes on where the reader is, as long as the model says the same again; else it says that the answer
 * begins anew, and tells all of it.
 */
export class Unfolding {
  readonly #kind: "speech" | "thought";
  /** What was told, or was told before a restart already. */
  #told = "";
  /** What was said after that. */
  #pending = "";
  #isBegun = false;
  /** What the reader has from before a restart, where that is more than what was said again since. */
  #before = "";

  constructor(kind: "speech" | "thought") {
    this.#kind = kind;
  }

  /** More was said. Gives what of it is news to the reader. */
  more(delta: string): string {
    if (this.#kind === "thought") return delta === "" ? "" : this.#tell(delta);
    this.#pending += delta;
    if (!this.#isBegun) {
      if (mayBeSilent(this.#pending)) return "";
      this.#pending = withoutTokenBefore(this.#pending).trimStart();
      this.#isBegun = true;
    }
    const uncertain = UNCERTAIN.exec(this.#pending.slice(-MAX_UNCERTAIN_CHARS))?.[0].length ?? 0;
    const certain = this.#pending.slice(0, this.#pending.length - uncertain);
    this.#pending = this.#pending.slice(certain.length);
    return certain === "" ? "" : this.#tell(certain);
  }

  /** Everything that was said of this message is void. */
  restart(): void {
    this.#reset(this.#before || this.#told);
  }

  /** The message is over, and this is all of it. Gives what the reader lacks. The next one begins. */
  end(whole: string): string {
    const text = this.#kind === "speech" ? stripSilentToken(whole) : whole;
    const known = this.#before || this.#told;
    const isRestarted = this.#before !== "";
    this.#reset("");
    if (text.startsWith(known)) return text.slice(known.length);
    // Of what is too long less is kept than was said.
    return text === "" || (!isRestarted && known.startsWith(text)) ? "" : BEGINS_ANEW + text;
  }

  #tell(certain: string): string {
    this.#told += certain;
    if (this.#before === "") return certain;
    if (this.#before.startsWith(this.#told)) return "";
    const known = this.#before;
    this.#before = "";
    return this.#told.startsWith(known) ? this.#told.slice(known.length) : BEGINS_ANEW + this.#told;
  }

  #reset(before: string): void {
    this.#before = before;
    this.#told = "";
    this.#pending = "";
    this.#isBegun = false;
  }
}
