import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { AnswerRequest, RequestOrigin } from "./answer-request.ts";
import type { AcquiredBrowser } from "./browser-binding.ts";
import { CdpConnection } from "./cdp-connection.ts";
import type { CdpCommands, CdpEvent, CdpMethod, Frame, FrameTree, PausedRequest, TargetInfo } from "./cdp-protocol.ts";
import { type BarePage, checkDocument, checkProxy } from "./check-isolation.ts";
import { PausedRequests } from "./paused-requests.ts";

/** A frame of the page, with the session that it is in. */
export interface PageFrame {
  id: string;
  url: string;
  sessionId: string;
}

/** Nothing listens there: what is not answered by the Worker fails. Chromium resolves no names behind a proxy. */
const DEAD_PROXY = "http://127.0.0.1:9";
/** Without it Chromium goes to loopback and link-local addresses without the proxy. */
const NO_BYPASS = "<-loopback>";

/** What sends datagrams, which take no proxy. It runs in every frame before the page's own scripts. */
const WITHOUT_DATAGRAMS = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCIceTransport", "WebTransport"]) delete globalThis[name];`;

/** Frames and workers of a page in processes of their own; each costs the browser memory. */
const MAX_TARGETS = 40;
/** The most reasons that are kept of requests that failed. */
const MAX_REASONS = 20;

/** The size of the page in pixels: that of a small desktop window, so that pages show their whole menus. */
const VIEW = { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false };

/**
 * A browser with one page that has no network of its own. What the page requests is answered by the Worker, and only
 * while a call of the tool is at work: between two calls its requests wait.
 *
 * Four layers hold it, each what the one before lets through; src/docs/web.md has the measurements:
 * DevTools stop each request; a proxy that leads nowhere fails those that DevTools do not see (WebSockets, shared
 * workers, preconnects); documents have no WebRTC, which takes no proxy; and they may open no windows, where WebRTC would
 * act before DevTools attach. `open` tries each of them before a page is loaded.
 */
export class IsolatedBrowser {
  readonly #connection: CdpConnection;
  readonly #release: () => Promise<void>;
  #context = "";
  #targetId = "";
  #pageSession = "";
  /** The pages that were opened here; every other one is the page's doing. */
  readonly #ownTargets = new Set<string>();
  /** Sessions of the page, its frames and its workers, with what kind of target each is. */
  readonly #sessions = new Map<string, TargetInfo>();
  /** Every frame with its address, and the session that it is in. */
  readonly #frames = new Map<string, { url: string; sessionId: string }>();
  readonly #requests: PausedRequests;
  #reasons: string[] = [];
  /** Counts requests and answers, so that a caller sees whether anything has happened. */
  activity = 0;
  /** Is told every event of the page and its frames. */
  onEvent: (event: CdpEvent) => void = () => undefined;

  private constructor({ socket, release }: AcquiredBrowser) {
    this.#release = release;
    this.#connection = new CdpConnection(socket);
    this.#connection.onEvent = (event) => this.#receive(event);
    this.#requests = new PausedRequests({
      send: (method, params, sessionId) => this.send(method, params, sessionId),
      originOf: (paused, sessionId) => this.#originOf(paused, sessionId),
      onActivity: () => {
        this.activity++;
      },
      note: (reason) => this.#note(reason),
      begin: (work) => this.#begin(work),
    });
  }

  /**
   * Sets up the layers in a browser and tries them.
   * @throws BrowserError if one of them does not hold; the browser is released then
   */
  static async open(acquired: AcquiredBrowser): Promise<IsolatedBrowser> {
    const browser = new IsolatedBrowser(acquired);
    try {
      await browser.#isolate();
      return browser;
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#connection.isClosed;
  }

  /** The session of the page. */
  get pageSession(): string {
    return this.#pageSession;
  }

  /** Looks for frames that were made without a navigation, and returns all. @throws BrowserError */
  async findFrames(): Promise<PageFrame[]> {
    for (const [sessionId, { type }] of this.#sessions) {
      if (type !== "page" && type !== "iframe") continue;
      const { frameTree } = await this.send("Page.getFrameTree", {}, sessionId);
      for (const frame of framesIn(frameTree)) this.#noteFrame(frame, sessionId);
    }
    return this.frames;
  }

  /** The frames whose documents may be read: the page's own comes first. */
  get frames(): PageFrame[] {
    const all = [...this.#frames].map(([id, frame]) => ({ id, ...frame }));
    return [...all.filter(({ id }) => id === this.#targetId), ...all.filter(({ id }) => id !== this.#targetId)];
  }

  /** The address of the page. */
  get address(): string {
    return this.#frames.get(this.#targetId)?.url ?? "about:blank";
  }

  /** Requests that are being answered or wait for it. */
  get pending(): number {
    return this.#requests.pending;
  }

  /** Why requests have failed since the last call began, each once. */
  get reasons(): readonly string[] {
    return this.#reasons;
  }

  isMainFrame(frameId: string): boolean {
    return frameId === this.#targetId;
  }

  /** Sends a command to the page, or to the target with this session. @throws BrowserError */
  send<Method extends CdpMethod>(
    method: Method,
    params: CdpCommands[Method][0],
    sessionId = this.#pageSession,
    timeoutMs?: number,
  ): Promise<CdpCommands[Method][1]> {
    return this.#connection.send(method, params, sessionId, timeoutMs);
  }

  /**
   * Lets the page load from now until the work has ended, with what has waited since the last call.
   * @param before what is done while the page's requests still wait, so that the page is the one that was decided on
   */
  async use<Result>(answer: AnswerRequest, before: () => unknown, work: () => Promise<Result>): Promise<Result> {
    this.#reasons = [];
    return this.#requests.answerDuring(answer, before, work);
  }

  /** Ends the browser. Never rejects, and may be called again. */
  async close(): Promise<void> {
    this.#connection.close();
    try {
      await this.#release();
    } catch (error) {
      // The platform ends it after the time without messages.
      log("warn", "browser.not_released", { error: messageOf(error) });
    }
  }

  async #isolate(): Promise<void> {
    const command = this.#connection;
    const made = { disposeOnDetach: true, proxyServer: DEAD_PROXY, proxyBypassList: NO_BYPASS };
    this.#context = (await command.send("Target.createBrowserContext", made)).browserContextId;
    const context = { browserContextId: this.#context };
    await checkProxy(this, () => this.#newPage());
    await command.send("Browser.setDownloadBehavior", { behavior: "deny", ...context });
    const { targetId, sessionId } = await this.#newPage();
    this.#targetId = targetId;
    this.#pageSession = sessionId;
    this.#sessions.set(this.#pageSession, { targetId, type: "page", url: "about:blank", ...context });
    await this.#prepare(this.#pageSession, true);
    // Shared and service workers, and pages that are opened by none, are told to the browser's own session.
    await command.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    await this.send("Emulation.setDeviceMetricsOverride", VIEW);
    await this.send("Accessibility.enable", {});
    await this.send("DOM.enable", {});
    await checkDocument(this);
  }

  async #newPage(): Promise<BarePage> {
    const page = { url: "about:blank", browserContextId: this.#context };
    const { targetId } = await this.#connection.send("Target.createTarget", page);
    this.#ownTargets.add(targetId);
    const { sessionId } = await this.#connection.send("Target.attachToTarget", { targetId, flatten: true });
    const close = async () => void (await this.#connection.send("Target.closeTarget", { targetId }));
    return { targetId, sessionId, close };
  }

  #receive(event: CdpEvent): void {
    switch (event.method) {
      case "Target.attachedToTarget":
        this.#begin(this.#attach(event.params.sessionId, event.params.targetInfo));
        return;
      case "Target.detachedFromTarget":
        this.#sessions.delete(event.params.sessionId);
        for (const [id, { sessionId }] of this.#frames)
          if (sessionId === event.params.sessionId) this.#frames.delete(id);
        return;
      case "Fetch.requestPaused":
        this.#requests.take(event.params, event.sessionId);
        return;
      case "Page.frameNavigated":
        this.#noteFrame(event.params.frame, event.sessionId);
        break;
      case "Page.navigatedWithinDocument":
        this.#noteFrame({ id: event.params.frameId, url: event.params.url }, event.sessionId);
        break;
      case "Page.frameDetached":
        // One that moves to a process of its own is told by its new session.
        if (this.#frames.get(event.params.frameId)?.sessionId === event.sessionId)
          this.#frames.delete(event.params.frameId);
        break;
      case "Page.javascriptDialogOpening":
        this.#note(`The page showed a dialog, which was dismissed: ${event.params.message.slice(0, 200)}`);
        this.#begin(
          this.send("Page.handleJavaScriptDialog", { accept: event.params.type === "beforeunload" }, event.sessionId),
        );
        break;
    }
    this.activity++;
    this.onEvent(event);
  }

  /** Runs a command without waiting for its result: the target may be gone. */
  #begin(command: Promise<unknown>): void {
    command.catch((error) => log("debug", "browser.command_failed", { error: messageOf(error) }));
  }

  #noteFrame({ id, url }: Frame, sessionId = this.#pageSession): void {
    this.#frames.set(id, { url, sessionId });
  }

  async #attach(sessionId: string, target: TargetInfo): Promise<void> {
    if (this.#ownTargets.has(target.targetId)) return;
    if (target.browserContextId !== this.#context) {
      return void (await this.send("Runtime.runIfWaitingForDebugger", {}, sessionId));
    }
    // The page is the only one; a window or a page that is rendered ahead ends before its first script.
    if (target.type === "page" || target.type === "service_worker" || this.#sessions.size >= MAX_TARGETS) {
      this.#note(`A ${target.type.replace("_", " ")} that the page wanted was not opened.`);
      return void (await this.#connection.send("Target.closeTarget", { targetId: target.targetId }));
    }
    this.#sessions.set(sessionId, target);
    await this.#prepare(sessionId, target.type === "iframe");
    await this.send("Runtime.runIfWaitingForDebugger", {}, sessionId);
  }

  /** Puts the layers around a target before its first script. A kind of worker that knows a command not has no network. */
  async #prepare(sessionId: string, isFrame: boolean): Promise<void> {
    const commands = [
      this.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }, sessionId),
      this.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }, sessionId),
      ...(isFrame
        ? [
            this.send("Page.enable", {}, sessionId),
            this.send(
              "Page.addScriptToEvaluateOnNewDocument",
              { source: WITHOUT_DATAGRAMS, runImmediately: true },
              sessionId,
            ),
          ]
        : []),
    ];
    const done = await Promise.allSettled(commands);
    const failed = done.find((command) => command.status === "rejected");
    if (failed === undefined) return;
    if (isFrame) throw failed.reason;
    log("debug", "browser.target_not_prepared", {
      type: this.#sessions.get(sessionId)?.type ?? "",
      error: messageOf(failed.reason),
    });
  }

  #originOf({ frameId, resourceType }: PausedRequest, sessionId: string | undefined): RequestOrigin {
    const isMain = resourceType === "Document" && frameId === this.#targetId;
    const worker = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    const own = worker !== undefined && worker.type !== "page" ? worker.url : undefined;
    return { isMain, from: this.#frames.get(frameId)?.url ?? own ?? this.address };
  }

  #note(reason: string): void {
    if (this.#reasons.length < MAX_REASONS && !this.#reasons.includes(reason)) this.#reasons.push(reason);
  }
}

function framesIn({ frame, childFrames = [] }: FrameTree): Frame[] {
  return [frame, ...childFrames.flatMap(framesIn)];
}
