import { mayBeSilent, stripSilentToken, withoutTokenBefore } from "../../agent/silent-token.ts";

/** Sent where the model gives another answer after a restart than the one whose beginning the reader has. */
export const RESTART_NOTICE = "\n\n[The answer was interrupted here and starts again.]\n\n";

/** The end of a text that may turn out to be part of `NO_REPLY` or trailing space, depending on what follows. */
const UNCERTAIN = /[^\p{L}\p{N}]*(?:N(?:O(?:_(?:R(?:E(?:P(?:L(?:Y[^\p{L}\p{N}]*)?)?)?)?)?)?)?)?$/u;
const MAX_UNCERTAIN_CHARS = 64;

/**
 * Streams the text of one message after another to a reader to whom everything sent is final. The parts sent add up to
 * the message's visible text: a part that may belong to the silent token `NO_REPLY` is held back until more has come.
 * Reasoning has no such token.
 *
 * After a restart the model writes the message again. As long as it repeats what the reader has, nothing is sent; once
 * it differs, the reader gets `RESTART_NOTICE` and the whole of the new text.
 */
export class ResumableText {
  readonly #kind: "text" | "reasoning";
  /** The text of this attempt that was sent, or was sent before a restart already. */
  #sent = "";
  /** The text after it that is held back. */
  #pending = "";
  #isStarted = false;
  /** The text sent before a restart, until this attempt has repeated all of it. */
  #sentBefore = "";

  constructor(kind: "text" | "reasoning") {
    this.#kind = kind;
  }

  /** Takes more of the model's text and returns what to send now. */
  append(delta: string): string {
    if (this.#kind === "reasoning") return delta === "" ? "" : this.#send(delta);
    this.#pending += delta;
    if (!this.#isStarted) {
      if (mayBeSilent(this.#pending)) return "";
      this.#pending = withoutTokenBefore(this.#pending).trimStart();
      this.#isStarted = true;
    }
    const uncertain = UNCERTAIN.exec(this.#pending.slice(-MAX_UNCERTAIN_CHARS))?.[0].length ?? 0;
    const certain = this.#pending.slice(0, this.#pending.length - uncertain);
    this.#pending = this.#pending.slice(certain.length);
    return certain === "" ? "" : this.#send(certain);
  }

  /** Starts the same message again: the model's text so far is void. */
  restart(): void {
    this.#reset(this.#sentBefore || this.#sent);
  }

  /** Ends the message, whose full text is `whole`, and returns what the reader lacks. The next message may start. */
  finish(whole: string): string {
    const text = this.#kind === "text" ? stripSilentToken(whole) : whole;
    const known = this.#sentBefore || this.#sent;
    const isRestarted = this.#sentBefore !== "";
    this.#reset("");
    if (text.startsWith(known)) return text.slice(known.length);
    // The stored text of a very long message is shorter than what was streamed.
    return text === "" || (!isRestarted && known.startsWith(text)) ? "" : RESTART_NOTICE + text;
  }

  #send(certain: string): string {
    this.#sent += certain;
    if (this.#sentBefore === "") return certain;
    if (this.#sentBefore.startsWith(this.#sent)) return "";
    const known = this.#sentBefore;
    this.#sentBefore = "";
    return this.#sent.startsWith(known) ? this.#sent.slice(known.length) : RESTART_NOTICE + this.#sent;
  }

  #reset(sentBefore: string): void {
    this.#sentBefore = sentBefore;
    this.#sent = "";
    this.#pending = "";
    this.#isStarted = false;
  }
}
