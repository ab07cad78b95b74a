import { appendContent } from "./content-view.ts";
import type { Conversation, Entry } from "./conversation.ts";
import { icon, make } from "./elements.ts";
import type { Memory } from "./memory.ts";
import type { Words } from "./words.ts";

const BUBBLE = "M4 5h16v11H9l-5 4z";
const CROSS = "M6 6l12 12M18 6L6 18";
const ARROW = "M12 19V5M5 12l7-7 7 7";
/** As much as the Worker takes. */
const MAX_CHARS = 8_000;
/** How far from its end the conversation still follows what is new, in pixels. */
const NEAR_END = 80;

const FAILURES = { failed: "failed", "too much": "tooMuch", "too long": "tooLong" } as const;

/** The button in the corner of a page, and the box that it opens. */
export class ChatBox {
  readonly #conversation: Conversation;
  readonly #memory: Memory;
  readonly #words: Words;
  readonly #launcher: HTMLButtonElement;
  readonly #badge = make("span", { class: "badge", hidden: true });
  readonly #panel: HTMLElement;
  readonly #title = make("h2", { id: "title" });
  readonly #log: HTMLElement;
  readonly #status = make("p", { class: "status", role: "status" });
  readonly #input: HTMLTextAreaElement;
  readonly #send: HTMLButtonElement;
  /** What is in the log, by the ids of the entries. */
  readonly #shown = new Map<string, { element: HTMLElement; entry: Entry }>();
  #unread = 0;

  constructor(root: ShadowRoot, conversation: Conversation, memory: Memory, words: Words) {
    this.#conversation = conversation;
    this.#memory = memory;
    this.#words = words;
    this.#launcher = make("button", { class: "launcher", type: "button", "aria-controls": "panel" }, icon(BUBBLE));
    this.#launcher.append(this.#badge);
    this.#log = make("div", { class: "log", role: "log", tabindex: "0", "aria-label": words.conversation });
    const size = { rows: "1", maxlength: String(MAX_CHARS) };
    this.#input = make("textarea", { ...size, "aria-label": words.message, placeholder: words.message });
    this.#send = make("button", { type: "submit", "aria-label": words.send }, icon(ARROW));
    const form = make("form", {}, this.#input, this.#send);
    const close = make("button", { class: "close", type: "button", "aria-label": words.close }, icon(CROSS));
    const head = make("header", {}, this.#title, close);
    const panel = { id: "panel", role: "dialog", "aria-labelledby": "title", hidden: true };
    this.#panel = make("section", panel, head, this.#log, this.#status, form);
    root.append(this.#panel, this.#launcher);
    this.#launcher.addEventListener("click", () => (this.#isOpen ? this.close() : this.open()));
    close.addEventListener("click", () => this.close());
    form.addEventListener("submit", (event) => this.#submit(event));
    this.#input.addEventListener("input", () => this.#fit());
    this.#panel.addEventListener("keydown", (event) => this.#onKey(event));
    this.show();
  }

  get #isOpen(): boolean {
    return !this.#panel.hidden;
  }

  open(): void {
    this.#panel.hidden = false;
    this.#memory.isOpen = true;
    this.#unread = 0;
    this.#conversation.watch();
    this.show();
    this.#log.scrollTop = this.#log.scrollHeight;
    this.#input.focus();
  }

  close(): void {
    this.#panel.hidden = true;
    this.#memory.isOpen = false;
    this.#conversation.unwatch();
    this.show();
    this.#launcher.focus();
  }

  /** The tab is looked at again. */
  resume(): void {
    if (this.#isOpen) this.#conversation.watch();
  }

  /** Shows the conversation as it is now. */
  show(): void {
    const { title = this.#words.title, greeting, entries, isBusy, isUnreachable } = this.#conversation;
    this.#title.textContent = title;
    const isNearEnd = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < NEAR_END;
    const all: Entry[] = [
      ...(greeting === undefined ? [] : [{ id: "greeting", from: "agent" as const, content: [greeting] }]),
      ...entries,
    ];
    const isFirst = this.#shown.size === 0;
    // A conversation that was there before is not read out.
    if (isFirst) this.#log.setAttribute("aria-busy", "true");
    const added = this.#place(all);
    if (isFirst) setTimeout(() => this.#log.removeAttribute("aria-busy"));
    if (added > 0 && !this.#isOpen && !isFirst) this.#unread += added;
    if (isNearEnd) this.#log.scrollTop = this.#log.scrollHeight;
    this.#status.textContent = isUnreachable ? this.#words.unreachable : isBusy ? this.#words.writing : "";
    this.#status.classList.toggle("busy", isBusy && !isUnreachable);
    this.#showLauncher();
  }

  #showLauncher(): void {
    const { open, close, unread } = this.#words;
    const label = this.#isOpen ? close : this.#unread > 0 ? `${open}, ${unread(this.#unread)}` : open;
    this.#launcher.setAttribute("aria-label", label);
    this.#launcher.setAttribute("aria-expanded", String(this.#isOpen));
    this.#badge.hidden = this.#unread === 0;
    this.#badge.textContent = String(this.#unread);
  }

  /** Puts the entries into the log, in order. @returns how many of the agent's are new */
  #place(entries: readonly Entry[]): number {
    const ids = new Set(entries.map(({ id }) => id));
    for (const [id, { element }] of this.#shown) {
      if (ids.has(id)) continue;
      element.remove();
      this.#shown.delete(id);
    }
    let added = 0;
    for (const [index, entry] of entries.entries()) {
      const known = this.#shown.get(entry.id);
      const isKnown = known !== undefined && known.entry.state === entry.state;
      const element = isKnown ? known.element : this.#elementOf(entry);
      if (known !== undefined && !isKnown) known.element.replaceWith(element);
      if (this.#log.children[index] !== element) this.#log.insertBefore(element, this.#log.children[index] ?? null);
      if (known === undefined && entry.from === "agent") added++;
      this.#shown.set(entry.id, { element, entry });
    }
    return added;
  }

  #elementOf({ id, from, content, state }: Entry): HTMLElement {
    const { title = this.#words.title } = this.#conversation;
    const author = make("span", { class: "author" }, `${from === "visitor" ? this.#words.you : title}: `);
    const bubble = make("div", { class: "bubble" });
    appendContent(bubble, content);
    const message = make("div", { class: `message ${from}` }, author, bubble);
    if (state === "sending") message.append(make("small", {}, this.#words.sending));
    else if (state !== undefined) {
      const again = make("button", { type: "button" }, this.#words.again);
      again.addEventListener("click", () => this.#conversation.retry(id));
      message.append(make("small", { role: "alert" }, `${this.#words[FAILURES[state]]} `, again));
    }
    return message;
  }

  #submit(event: Event): void {
    event.preventDefault();
    const text = this.#input.value.trim();
    if (text === "") return;
    this.#input.value = "";
    this.#fit();
    this.#log.scrollTop = this.#log.scrollHeight;
    this.#conversation.say(text);
    this.#input.focus();
  }

  #onKey(event: KeyboardEvent): void {
    // The page has shortcuts of its own.
    event.stopPropagation();
    // Enter and Escape belong to an input method while it composes.
    if (event.isComposing) return;
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && event.target === this.#input && !event.shiftKey) this.#submit(event);
  }

  /** Makes the input as high as its text; the style has the limit. */
  #fit(): void {
    this.#input.style.height = "auto";
    this.#input.style.height = `${this.#input.scrollHeight}px`;
  }
}
