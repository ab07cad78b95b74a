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
import { PageElements } from "./page-elements.ts";

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

/** The page of an isolated browser: does what a person does, and shows what a screen reader reads out. */
export class BrowserPage {
  readonly #browser: IsolatedBrowser;
  readonly #elements: PageElements;
  readonly #hosts = new Set<string>();
  #isLoading = false;
  /** The status of the page's own document, and why it did not come. */
  #status = 0;
  #refusal: string | undefined;

  constructor(browser: IsolatedBrowser) {
    this.#browser = browser;
    this.#elements = new PageElements(browser);
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
    const frameId = this.#elements.frameId(ref);
    return frameId && (this.#browser.frames.find(({ id }) => id === frameId)?.url ?? this.address);
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
        if (action.kind === "click") click = await this.#elements.click(action.ref);
        if (action.kind === "type") await this.#elements.type(action.ref, action.text);
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

  async #press(key: Key): Promise<void> {
    await Promise.all(keyEvents(key).map((event) => this.#browser.send("Input.dispatchKeyEvent", event)));
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
        this.#elements.forget();
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
      const shown = treeLines(nodes, url, (backendNodeId) =>
        this.#elements.refOf({ backendNodeId, frameId: id, sessionId }),
      );
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
}
