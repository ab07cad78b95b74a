import type { ShownConversation, ShownEntry } from "../../http/webchat-schema.ts";
import { type Connection, Refused } from "./connection.ts";
import type { Memory } from "./memory.ts";

/** How long after something was said the chat waits for answers, and how often it looks for them later. */
const ACTIVE_MS = 2 * 60_000;
const IDLE_PAUSE_MS = 30_000;
/** The least time between two requests for replies. */
const MIN_PAUSE_MS = 400;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How often a message is sent before a person has to say so. */
const MAX_TRIES = 4;

/** A message of the chat; without a state where the Worker has it. */
export interface Entry extends ShownEntry {
  state?: "sending" | "failed" | "too much" | "too long";
}

/** The conversation as the chat box shows it. */
export class Conversation {
  entries: readonly Entry[] = [];
  isBusy = false;
  isUnreachable = false;
  title: string | undefined;
  greeting: string | undefined;
  readonly #connection: Connection;
  readonly #memory: Memory;
  readonly #changed: () => void;
  /** Of what the chat knows; undefined before the first answer. */
  #version: string | undefined;
  #isWatched = false;
  #isFollowing = false;
  #activeUntil = 0;
  #failures = 0;
  #wake: () => void = () => {};
  /** Settles when the messages before are sent. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection, memory: Memory, changed: () => void) {
    this.#connection = connection;
    this.#memory = memory;
    this.#changed = changed;
    this.entries = memory.kept.unsent.map(({ id, text }) => ({
      id,
      from: "visitor",
      content: [text],
      state: "sending",
    }));
  }

  /** Somebody looks at it, now or again. */
  watch(): void {
    this.#isWatched = true;
    this.#follow();
    this.#wake();
  }

  /** Nobody looks at it any more; an answer that is on its way is still awaited. */
  unwatch(): void {
    this.#isWatched = false;
  }

  say(text: string): void {
    const message = { id: newId(), text };
    this.#memory.change({ unsent: [...this.#memory.kept.unsent, message] });
    this.entries = [...this.entries, { id: message.id, from: "visitor", content: [text], state: "sending" }];
    this.#send(message);
    this.#changed();
  }

  /** Sends a message again. */
  retry(id: string): void {
    const message = this.#memory.kept.unsent.find((one) => one.id === id);
    if (message === undefined) return;
    this.#mark(id, "sending");
    this.#send(message);
  }

  #send(message: { id: string; text: string }): void {
    this.#sending = this.#sending.then(() => this.#deliver(message));
  }

  async #deliver(message: { id: string; text: string }): Promise<void> {
    for (let tries = 1; this.#isUnsent(message.id); tries++) {
      try {
        await this.#connection.say(message);
        break;
      } catch (error) {
        const { status, isPassing } = asRefused(error);
        if (isPassing && tries < MAX_TRIES) {
          await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** tries));
          continue;
        }
        this.#mark(message.id, status === 429 ? "too much" : status === 400 || status === 413 ? "too long" : "failed");
        return;
      }
    }
    this.#memory.change({ unsent: this.#memory.kept.unsent.filter(({ id }) => id !== message.id) });
    this.#activeUntil = Date.now() + ACTIVE_MS;
    this.isBusy = true;
    this.#mark(message.id, undefined);
    this.#follow();
    this.#wake();
  }

  #isUnsent(id: string): boolean {
    return this.#memory.kept.unsent.some((one) => one.id === id);
  }

  #mark(id: string, state: Entry["state"]): void {
    this.entries = this.entries.map((entry) => (entry.id === id ? withState(entry, state) : entry));
    this.#changed();
  }

  /** Asks for what is new for as long as somebody may want to see it. */
  async #follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    while (this.#isWatched || this.isBusy) {
      if (document.hidden && !this.isBusy && this.#version !== undefined) await this.#pause(IDLE_PAUSE_MS);
      else await this.#pause(await this.#look());
    }
    this.#isFollowing = false;
  }

  /** @returns after how long to look again */
  async #look(): Promise<number> {
    try {
      if (this.#version === undefined) await this.#begin();
      else this.#take(await this.#connection.replies(this.#version, this.#isActive));
      this.#failures = 0;
      this.isUnreachable = false;
      this.#changed();
      return this.#isActive ? MIN_PAUSE_MS : IDLE_PAUSE_MS;
    } catch (error) {
      this.#failures++;
      this.isUnreachable = true;
      this.#changed();
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
      return Math.max(pauseMs, asRefused(error).retryAfterMs);
    }
  }

  async #begin(): Promise<void> {
    const { title, greeting, ...conversation } = await this.#connection.visit();
    this.title = title;
    this.greeting = greeting;
    this.#take(conversation);
    for (const message of this.#memory.kept.unsent) if (this.#isSending(message.id)) this.#send(message);
  }

  #isSending(id: string): boolean {
    return this.entries.some((entry) => entry.id === id && entry.state === "sending");
  }

  get #isActive(): boolean {
    return this.isBusy || Date.now() < this.#activeUntil;
  }

  #take({ version, isBusy, entries }: ShownConversation): void {
    this.isBusy = isBusy;
    if (version === this.#version) return;
    const isSame = version.split(".")[0] === this.#version?.split(".")[0];
    if (isSame && entries.some(({ id, from }) => from === "agent" && !this.entries.some((known) => known.id === id))) {
      this.#activeUntil = Date.now() + ACTIVE_MS;
    }
    this.#version = version;
    const ids = new Set(entries.map(({ id }) => id));
    const others = this.entries.filter(({ id }) => !ids.has(id));
    // What arrived is not sent again, even if nobody heard that it did.
    if (this.#memory.kept.unsent.some(({ id }) => ids.has(id))) {
      this.#memory.change({ unsent: this.#memory.kept.unsent.filter(({ id }) => !ids.has(id)) });
    }
    const unsent = new Set(this.#memory.kept.unsent.map(({ id }) => id));
    const older = isSame ? others.filter(({ id }) => !unsent.has(id)) : [];
    this.entries = [...older, ...entries, ...others.filter(({ id }) => unsent.has(id))];
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function withState({ state: _, ...entry }: Entry, state: Entry["state"]): Entry {
  return { ...entry, ...(state && { state }) };
}

/** An answer that cannot be read is none. */
function asRefused(error: unknown): Refused {
  return error instanceof Refused ? error : new Refused(undefined);
}

/** Pages without https have no `crypto.randomUUID`. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
