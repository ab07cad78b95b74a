import { BrowserError } from "./browser-error.ts";
import { CommandError } from "./cdp-connection.ts";
import type { IsolatedBrowser } from "./isolated-browser.ts";

/** An element of a page, as the browser knows it. */
interface PageElement {
  backendNodeId: number;
  frameId: string;
  sessionId: string;
}

/** Scripts that run on an element: `this`. */
const SCRIPTS = {
  /** Selects what a field holds, so that typing replaces it; says how it is filled in. */
  select: `function () {
    if (this instanceof HTMLSelectElement) return "options";
    if (this.disabled || this.readOnly) return "fixed";
    const type = this instanceof HTMLInputElement ? this.type : "";
    if (type === "file") return "file";
    if (["color", "date", "datetime-local", "month", "range", "time", "week"].includes(type)) return "value";
    if (this.select instanceof Function) this.select();
    else if (this.isContentEditable) getSelection().selectAllChildren(this);
    else return "other";
    return "text";
  }`,
  /** Chooses an option by what it shows or by its value; says the options if there is no such one. */
  choose: `function (wanted) {
    const options = [...this.options];
    const found = options.find((one) => one.label.trim() === wanted.trim()) ?? options.find((one) => one.value === wanted);
    if (found === undefined) return options.slice(0, 50).map((one) => one.label.trim()).join(", ") || "none";
    found.selected = true;
    for (const name of ["input", "change"]) this.dispatchEvent(new Event(name, { bubbles: true }));
    return "";
  }`,
  /** Sets a field that has a value and no text, such as a date; says the value that it has then. */
  set: `function (value) {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(this, value);
    for (const name of ["input", "change"]) this.dispatchEvent(new Event(name, { bubbles: true }));
    return this.value;
  }`,
  /** Clicks what has no place of its own. */
  click: `function () {
    const list = this instanceof HTMLOptionElement ? this.closest("select") : null;
    if (list === null) return this.click();
    this.selected = true;
    for (const name of ["input", "change"]) list.dispatchEvent(new Event(name, { bubbles: true }));
  }`,
} as const;

/** The elements of a page that a view has named by refs, and what is done on them. */
export class PageElements {
  readonly #browser: IsolatedBrowser;
  /** By ref. */
  readonly #elements = new Map<string, PageElement>();
  /** By session and node. */
  readonly #refs = new Map<string, string>();
  #lastRef = 0;

  constructor(browser: IsolatedBrowser) {
    this.#browser = browser;
  }

  /** Forgets every ref, when another page has come. */
  forget(): void {
    this.#elements.clear();
    this.#refs.clear();
  }

  /** The ref of an element: the one that it has, or a new one. */
  refOf(element: PageElement): string {
    const key = `${element.sessionId} ${element.backendNodeId}`;
    const known = this.#refs.get(key);
    if (known !== undefined) return known;
    const ref = `e${++this.#lastRef}`;
    this.#refs.set(key, ref);
    this.#elements.set(ref, element);
    return ref;
  }

  /** The frame that an element is in; undefined if there is no such element. */
  frameId(ref: string): string | undefined {
    return this.#elements.get(ref)?.frameId;
  }

  /** Presses the mouse on an element. The page may have to load something before it has `taken` that. */
  async click(ref: string): Promise<{ taken: Promise<unknown> }> {
    const { sessionId } = this.#element(ref);
    const point = await this.#pointOf(ref);
    // A frame in a process of its own takes no mouse by its own session.
    if (point === undefined || sessionId !== this.#browser.pageSession) return { taken: this.#run(ref, SCRIPTS.click) };
    const mouse = (type: string, more: { button?: "left"; buttons?: number; clickCount?: number } = {}) =>
      this.#browser.send("Input.dispatchMouseEvent", { type, ...point, ...more });
    const events = [
      mouse("mouseMoved"),
      mouse("mousePressed", { button: "left", buttons: 1, clickCount: 1 }),
      mouse("mouseReleased", { button: "left", buttons: 0, clickCount: 1 }),
    ];
    return { taken: Promise.all(events) };
  }

  /** The middle of an element in the view, after scrolling to it; undefined if it takes no room. */
  async #pointOf(ref: string): Promise<{ x: number; y: number } | undefined> {
    const { backendNodeId, sessionId } = this.#element(ref);
    try {
      await this.#browser.send("DOM.scrollIntoViewIfNeeded", { backendNodeId }, sessionId);
      const { model } = await this.#browser.send("DOM.getBoxModel", { backendNodeId }, sessionId);
      if (model.width === 0 || model.height === 0) return undefined;
      const [left = 0, top = 0, , , right = 0, bottom = 0] = model.border;
      return { x: (left + right) / 2, y: (top + bottom) / 2 };
    } catch (error) {
      if (error instanceof CommandError) return undefined;
      throw error;
    }
  }

  /** Fills in an element: replaces a text, sets a value, or chooses an option. @throws BrowserError if it takes none */
  async type(ref: string, text: string): Promise<void> {
    const { backendNodeId, sessionId } = this.#element(ref);
    const kind = await this.#run(ref, SCRIPTS.select);
    if (kind === "options") {
      const options = await this.#run(ref, SCRIPTS.choose, text);
      if (options !== "") throw new BrowserError(`${ref} has no option '${text}'. It has: ${String(options)}.`);
      return;
    }
    if (kind === "file") throw new BrowserError(`${ref} takes a file, and none is uploaded.`);
    if (kind === "fixed") throw new BrowserError(`${ref} cannot be changed: it is disabled or read-only.`);
    if (kind === "other") throw new BrowserError(`${ref} takes no text. Use click, or the ref of a textbox.`);
    if (kind === "value") {
      const now = await this.#run(ref, SCRIPTS.set, text);
      if (now !== text)
        throw new BrowserError(`${ref} did not take '${text}'. Dates are YYYY-MM-DD, times HH:MM, colours #rrggbb.`);
      return;
    }
    await this.#browser.send("DOM.focus", { backendNodeId }, sessionId);
    await this.#run(ref, SCRIPTS.select);
    await this.#browser.send("Input.insertText", { text });
  }

  /** Runs a script on an element and returns what it says. @throws BrowserError if the element has gone */
  async #run(ref: string, script: string, ...values: string[]): Promise<unknown> {
    const { backendNodeId, sessionId } = this.#element(ref);
    try {
      const { object } = await this.#browser.send("DOM.resolveNode", { backendNodeId }, sessionId);
      const { result, exceptionDetails } = await this.#browser.send(
        "Runtime.callFunctionOn",
        {
          ...{ objectId: object.objectId ?? "", functionDeclaration: script, returnByValue: true, userGesture: true },
          arguments: values.map((value) => ({ value })),
        },
        sessionId,
      );
      if (exceptionDetails === undefined) return result.value;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
    }
    throw notThere(ref);
  }

  #element(ref: string): PageElement {
    const element = this.#elements.get(ref);
    if (element === undefined) throw notThere(ref);
    return element;
  }
}

function notThere(ref: string): BrowserError {
  return new BrowserError(`There is no ${ref} on the page any more. Take a snapshot, and use a ref of that.`);
}
