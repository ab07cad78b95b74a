import { fromBase64 } from "../lib/base64.ts";
import { sleep } from "../lib/sleep.ts";
import { hostOf } from "../lib/url.ts";
import { treeLines } from "./accessibility-tree.ts";
import { answerRequest, type PageEgress, type RequestAnswer, type RequestOrigin } from "./answer-request.ts";
import { BrowserError } from "./browser-error.ts";
import { CommandError } from "./cdp-connection.ts";
import type { AxNode, CdpEvent, PausedRequest } from "./cdp-protocol.ts";
import type { IsolatedBrowser } from "./isolated-browser.ts";
import { type Key, keyEvents } from "./keys.ts";

/** What a page shows. */
export interface PageView {
  /** The address of the page. */
  address: string;
  title: string;
  /** The accessibility tree, and those of its frames. */
  text: string;
  /** The hosts whose words may stand in it: of its documents, and of what its scripts asked. */
  hosts: readonly string[];
  /** What did not work of what the page wanted, and that it still loads. */
  notes: readonly string[];
}

/** A picture of what is in view. */
export interface Picture {
  address: string;
  /** As in a view. */
  hosts: readonly string[];
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: "image/png" | "image/jpeg";
}

/** What is done on a page. */
export type PageAction =
  | { kind: "open"; url: string }
  | { kind: "click"; ref: string }
  | { kind: "type"; ref: string; text: string; submit: boolean }
  | { kind: "press"; key: Key }
  | { kind: "back" };

interface Element {
  backendNodeId: number;
  frameId: string;
  sessionId: string;
}

/** A page that opens is waited for so long, in milliseconds; what a call does, less: it may have started nothing. */
const OPEN_MS = 30_000;
const SETTLE_MS = 10_000;
/** A page has settled when nothing has happened for so long, in milliseconds. */
const QUIET_MS = 500;
const TICK_MS = 100;
/** A script that runs after an action starts its requests within this time, in milliseconds. */
const BEGIN_MS = 300;

/** The most frames that are read: advertisements have dozens. */
const MAX_FRAMES = 20;
/** Kinds of requests whose answers a page may show as text. */
const HAS_WORDS = ["Document", "XHR", "Fetch", "EventSource"];

/** A picture of more bytes is taken again with fewer: models take 5 MiB. */
const MAX_PNG_BYTES = 3 * 1024 * 1024;
/** The quality of a JPEG, in percent. */
const JPEG_QUALITY = 70;

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

/** The page of an isolated browser: does what a person does, and shows what a screen reader reads out. */
export class BrowserPage {
  readonly #browser: IsolatedBrowser;
  /** The elements that have a ref since the page came, by the ref; and the refs by session and node. */
  readonly #elements = new Map<string, Element>();
  readonly #refs = new Map<string, string>();
  #lastRef = 0;
  readonly #hosts = new Set<string>();
  #isLoading = false;
  /** The status of the page's own document, and why it did not come. */
  #status = 0;
  #refusal: string | undefined;

  constructor(browser: IsolatedBrowser) {
    this.#browser = browser;
    browser.onEvent = (event) => this.#note(event);
  }

  get isClosed(): boolean {
    return this.#browser.isClosed;
  }

  /** The address of the page. Between two actions nothing is loaded, so that it stays at its host. */
  get address(): string {
    return this.#browser.address;
  }

  /** The address of the document that an element is in; undefined if there is no such element. */
  addressOf(ref: string): string | undefined {
    const element = this.#elements.get(ref);
    if (element === undefined) return undefined;
    return this.#browser.frames.find(({ id }) => id === element.frameId)?.url ?? this.address;
  }

  /**
   * Does one thing and waits until the page has settled, within bounds.
   * @throws BrowserError with what to do if it could not be done
   */
  async act(action: PageAction, egress: PageEgress): Promise<PageView> {
    let click: { taken: Promise<unknown> } | undefined;
    return this.#browser.use(
      (paused, origin) => this.#answer(paused, origin, egress),
      // While the page loads nothing it is at the host that was decided on.
      async () => {
        if (action.kind === "click") click = await this.#click(action.ref);
        if (action.kind === "type") await this.#type(action.ref, action.text);
      },
      async () => {
        await click?.taken;
        if (action.kind === "open") await this.#open(action.url);
        if (action.kind === "press") await this.#press(action.key);
        if (action.kind === "type" && action.submit) await this.#press("Enter");
        if (action.kind === "back") await this.#back();
        return this.#settledView(action.kind === "open" ? OPEN_MS : SETTLE_MS, egress.signal);
      },
    );
  }

  /** What the page shows now. @throws BrowserError */
  async view(egress: PageEgress): Promise<PageView> {
    return this.#browser.use(
      (paused, origin) => this.#answer(paused, origin, egress),
      () => undefined,
      () => this.#settledView(SETTLE_MS, egress.signal),
    );
  }

  /** A picture of what is in view. @throws BrowserError */
  async picture(): Promise<Picture> {
    const png = await this.#capture("png");
    return png.bytes.length <= MAX_PNG_BYTES ? png : this.#capture("jpeg");
  }

  async #capture(format: "png" | "jpeg"): Promise<Picture> {
    const how = { format, ...(format === "jpeg" && { quality: JPEG_QUALITY }) };
    const { data } = await this.#browser.send("Page.captureScreenshot", how);
    const bytes = fromBase64(data);
    if (bytes === undefined) throw new BrowserError("The browser made no picture. Take a snapshot instead.");
    return { address: this.address, hosts: [...this.#hosts], bytes, mediaType: `image/${format}` };
  }

  async #answer(paused: PausedRequest, origin: RequestOrigin, egress: PageEgress): Promise<RequestAnswer> {
    const answer = await answerRequest(paused, origin, egress);
    if (origin.isMain) {
      this.#status = answer.kind === "fulfill" ? answer.status : 0;
      this.#refusal = answer.kind === "fail" ? answer.why : undefined;
    }
    if (answer.kind === "fulfill" && HAS_WORDS.includes(paused.resourceType))
      this.#hosts.add(hostOf(paused.request.url));
    return answer;
  }

  async #open(url: string): Promise<void> {
    this.#refusal = undefined;
    const { errorText } = await this.#browser.send("Page.navigate", { url }, undefined, OPEN_MS);
    if (errorText === undefined) return;
    throw new BrowserError(`${hostOf(url)} was not opened. ${this.#refusal ?? `The browser says ${errorText}.`}`);
  }

  async #back(): Promise<void> {
    const { currentIndex, entries } = await this.#browser.send("Page.getNavigationHistory", {});
    const before = entries[currentIndex - 1];
    if (before === undefined || !/^https?:/.test(before.url) || hostOf(before.url).endsWith(".invalid")) {
      throw new BrowserError("There is no page before this one. Use action open with an address.");
    }
    await this.#browser.send("Page.navigateToHistoryEntry", { entryId: before.id });
  }

  /** Presses the mouse on an element. The page may have to load something before it has `taken` that. */
  async #click(ref: string): Promise<{ taken: Promise<unknown> }> {
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

  async #type(ref: string, text: string): Promise<void> {
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

  async #press(key: Key): Promise<void> {
    await Promise.all(keyEvents(key).map((event) => this.#browser.send("Input.dispatchKeyEvent", event)));
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

  #element(ref: string): Element {
    const element = this.#elements.get(ref);
    if (element === undefined) throw notThere(ref);
    return element;
  }

  #note(event: CdpEvent): void {
    switch (event.method) {
      case "Page.frameStartedLoading":
        if (this.#browser.isMainFrame(event.params.frameId)) this.#isLoading = true;
        break;
      case "Page.frameStoppedLoading":
        if (this.#browser.isMainFrame(event.params.frameId)) this.#isLoading = false;
        break;
      case "Page.frameNavigated": {
        const { id, url } = event.params.frame;
        if (!this.#browser.isMainFrame(id)) break;
        this.#elements.clear();
        this.#refs.clear();
        this.#hosts.clear();
        if (/^https?:/.test(url)) this.#hosts.add(hostOf(url));
        break;
      }
    }
  }

  async #settledView(ms: number, signal: AbortSignal): Promise<PageView> {
    await sleep(BEGIN_MS, signal);
    let quiet = 0;
    let last = this.#browser.activity;
    for (let waited = BEGIN_MS; waited < ms && quiet < QUIET_MS && !this.isClosed; waited += TICK_MS) {
      signal.throwIfAborted();
      await sleep(TICK_MS, signal);
      const isQuiet = last === this.#browser.activity && this.#browser.pending === 0 && !this.#isLoading;
      quiet = isQuiet ? quiet + TICK_MS : 0;
      last = this.#browser.activity;
    }
    signal.throwIfAborted();
    return this.#view(quiet >= QUIET_MS);
  }

  async #view(isSettled: boolean): Promise<PageView> {
    const frames = await this.#browser.findFrames();
    const lines: string[] = [];
    let title = "";
    for (const [n, { id, url, sessionId }] of frames.slice(0, MAX_FRAMES).entries()) {
      const nodes = await this.#nodesOf(id, sessionId);
      if (n === 0) title = String(nodes[0]?.name?.value ?? "");
      const shown = treeLines(nodes, url, (backendNodeId) => this.#refOf({ backendNodeId, frameId: id, sessionId }));
      if (n === 0) lines.push(...shown);
      else if (shown.length > 0) lines.push(`frame <${url}>`, ...shown.map((line) => `  ${line}`));
    }
    const notes = [
      ...(this.#status >= 400 ? [`The page came with status ${this.#status}.`] : []),
      ...(isSettled ? [] : ["The page still loads or moves: take a snapshot later to see more."]),
      ...(frames.length > MAX_FRAMES ? [`${frames.length - MAX_FRAMES} frames are not shown.`] : []),
      ...this.#browser.reasons,
    ];
    return { address: this.address, title, text: lines.join("\n"), hosts: [...this.#hosts], notes };
  }

  /** The nodes of a frame; none if it has gone meanwhile. */
  async #nodesOf(frameId: string, sessionId: string): Promise<AxNode[]> {
    try {
      return (await this.#browser.send("Accessibility.getFullAXTree", { frameId }, sessionId)).nodes;
    } catch (error) {
      if (error instanceof CommandError && !this.#browser.isMainFrame(frameId)) return [];
      throw error;
    }
  }

  #refOf(element: Element): string {
    const key = `${element.sessionId} ${element.backendNodeId}`;
    const known = this.#refs.get(key);
    if (known !== undefined) return known;
    const ref = `e${++this.#lastRef}`;
    this.#refs.set(key, ref);
    this.#elements.set(ref, element);
    return ref;
  }
}

function notThere(ref: string): BrowserError {
  return new BrowserError(`There is no ${ref} on the page any more. Take a snapshot, and use a ref of that.`);
}
