import type {
  AxNode,
  CdpCommands,
  CdpEvents,
  CdpMethod,
  HeaderEntry,
  PausedRequest,
} from "../../src/browser/cdp-protocol.ts";
import type { DevTools } from "./browser-run.ts";

/** How a scripted browser differs from one that keeps to everything. */
export interface ScriptedFaults {
  /** Nothing takes the proxy. */
  ignoresProxy?: boolean;
  /** Documents, or WebSockets, go past the proxy. */
  pagesEscape?: boolean;
  socketsEscape?: boolean;
  /** New documents keep WebRTC. */
  keepsWebRtc?: boolean;
  /** Documents may open windows. */
  opensWindows?: boolean;
  /** A click is never answered. */
  hangsAtClick?: boolean;
}

interface ScriptedElement {
  tag: string;
  attributes: Record<string, string>;
  text: string;
}

/** The height of an element: the first is at the top. */
const ROW = 20;
/** When a call has ended that waited until nothing moved. */
const LATER_MS = 1_500;
const PROXY_FAILED = "net::ERR_PROXY_CONNECTION_FAILED";

type Params<Method extends CdpMethod> = CdpCommands[Method][0];

/**
 * The part of Chromium's DevTools that a test of the tool needs, without Chromium. A document is the elements `h1`, `p`,
 * `a`, `button`, `input`, `select`, `img` and `script` of its HTML, none within another. `img` and `script` are requested;
 * a button with `data-ask` posts the values of the inputs there, and the answer becomes the text of the first `p`; with
 * `data-later` it asks that a while after the click, as a page does that polls.
 */
export class ScriptedChromium implements DevTools {
  readonly #send: (message: string) => void;
  readonly #faults: ScriptedFaults;
  #proxy: string | undefined;
  #lastTarget = 0;
  #lastRequest = 0;
  readonly #sessions = new Map<string, { targetId: string; isHeld: boolean; script: string }>();
  readonly #answers = new Map<string, (answer: Params<"Fetch.fulfillRequest"> | undefined) => void>();
  #elements: ScriptedElement[] = [];
  #url = "about:blank";
  #policy = "";
  #focus: ScriptedElement | undefined;
  #history: string[] = [];

  constructor(send: (message: string) => void, faults: ScriptedFaults = {}) {
    this.#send = send;
    this.#faults = faults;
  }

  receive(message: string): void {
    const { id, method, params, sessionId } = JSON.parse(message);
    Promise.resolve()
      .then(() => this.#run(method, params, sessionId))
      .then(
        (result) => result !== "never" && this.#send(JSON.stringify({ id, result: result ?? {}, sessionId })),
        (error: Error) =>
          this.#send(JSON.stringify({ id, error: { code: -32000, message: error.message }, sessionId })),
      );
  }

  end(): void {
    this.#answers.clear();
  }

  async #run(method: CdpMethod, params: any, sessionId: string | undefined): Promise<object | "never" | undefined> {
    const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    switch (method) {
      case "Target.createBrowserContext":
        this.#proxy = this.#faults.ignoresProxy ? undefined : params.proxyServer;
        return { browserContextId: "context" };
      case "Target.createTarget":
        return { targetId: `target-${++this.#lastTarget}` };
      case "Target.attachToTarget": {
        const made = `of ${params.targetId}`;
        this.#sessions.set(made, { targetId: params.targetId, isHeld: false, script: "" });
        return { sessionId: made };
      }
      case "Fetch.enable":
        if (session) session.isHeld = true;
        return {};
      case "Page.addScriptToEvaluateOnNewDocument":
        if (session) session.script = params.source;
        return {};
      case "Page.navigate":
        return this.#navigate(params.url, sessionId ?? "");
      case "Page.getNavigationHistory":
        return { currentIndex: this.#history.length - 1, entries: this.#history.map((url, id) => ({ id, url })) };
      case "Page.navigateToHistoryEntry":
        void this.#navigate(this.#history[params.entryId] ?? "", sessionId ?? "", params.entryId);
        return {};
      case "Page.getFrameTree":
        return { frameTree: { frame: { id: session?.targetId ?? "", url: this.#url } } };
      case "Page.captureScreenshot":
        return { data: PIXEL };
      case "Fetch.fulfillRequest":
      case "Fetch.failRequest":
      case "Fetch.continueRequest":
        this.#answers.get(params.requestId)?.(method === "Fetch.fulfillRequest" ? params : undefined);
        return {};
      case "Runtime.evaluate":
        return this.#evaluate(params.expression, session?.script ?? "", sessionId ?? "");
      case "Accessibility.getFullAXTree":
        return { nodes: this.#tree() };
      case "DOM.getBoxModel": {
        const top = this.#at(params).index * ROW;
        return { model: { border: [0, top, 100, top, 100, top + ROW, 0, top + ROW], width: 100, height: ROW } };
      }
      case "DOM.focus":
        this.#focus = this.#at(params).element;
        return {};
      case "DOM.resolveNode":
        return { object: { objectId: String(this.#at(params).index) } };
      case "Runtime.callFunctionOn":
        return { result: { value: this.#call(params) } };
      case "Input.insertText":
        if (this.#focus) this.#focus.attributes.value = params.text;
        return {};
      case "Input.dispatchMouseEvent":
        if (this.#faults.hangsAtClick) return "never";
        if (params.type === "mouseReleased") this.#click(this.#elements[Math.floor(params.y / ROW)], sessionId ?? "");
        return {};
      case "Input.dispatchKeyEvent":
        if (params.type === "keyDown" && params.key === "Enter") {
          this.#click(
            this.#elements.find(({ tag }) => tag === "button"),
            sessionId ?? "",
          );
        }
        return {};
      default:
        return {};
    }
  }

  #event<Name extends keyof CdpEvents>(method: Name, params: CdpEvents[Name], sessionId: string): void {
    this.#send(JSON.stringify({ method, params, sessionId }));
  }

  /** Requests as a page does: where DevTools hold it they are asked, else it goes to the proxy. */
  #request(
    request: Partial<PausedRequest["request"]> & { url: string },
    resourceType: string,
    sessionId: string,
  ): Promise<Params<"Fetch.fulfillRequest"> | undefined> {
    const requestId = `request-${++this.#lastRequest}`;
    const answered = new Promise<Params<"Fetch.fulfillRequest"> | undefined>((resolve) =>
      this.#answers.set(requestId, resolve),
    );
    const frameId = this.#sessions.get(sessionId)?.targetId ?? "";
    const whole = { method: "GET", headers: { "User-Agent": "Scripted", Referer: this.#url }, ...request };
    this.#event("Fetch.requestPaused", { requestId, request: whole, frameId, resourceType }, sessionId);
    return answered;
  }

  async #navigate(url: string, sessionId: string, entry?: number): Promise<object> {
    const session = this.#sessions.get(sessionId);
    const frameId = session?.targetId ?? "";
    if (!session?.isHeld) {
      return {
        frameId,
        errorText: this.#proxy === undefined || this.#faults.pagesEscape ? "net::ERR_NAME_NOT_RESOLVED" : PROXY_FAILED,
      };
    }
    this.#event("Page.frameStartedLoading", { frameId }, sessionId);
    let address = url;
    for (let hop = 0; hop < 5; hop++) {
      const answer = await this.#request({ url: address }, "Document", sessionId);
      if (answer === undefined || answer.responseCode === 204) {
        this.#event("Page.frameStoppedLoading", { frameId }, sessionId);
        return { frameId, errorText: answer === undefined ? "net::ERR_FAILED" : "net::ERR_ABORTED" };
      }
      const location = headerOf(answer.responseHeaders, "location");
      if (answer.responseCode >= 300 && answer.responseCode < 400 && location !== undefined) {
        address = new URL(location, address).href;
        continue;
      }
      this.#show(address, answer, entry);
      this.#event("Page.frameNavigated", { frame: { id: frameId, url: address } }, sessionId);
      const loaded = this.#elements
        .filter(({ tag, attributes }) => ["img", "script"].includes(tag) && attributes.src !== undefined)
        .map(({ tag, attributes }) =>
          this.#request(
            { url: new URL(attributes.src ?? "", address).href },
            tag === "img" ? "Image" : "Script",
            sessionId,
          ),
        );
      void Promise.all(loaded).then(() => this.#event("Page.frameStoppedLoading", { frameId }, sessionId));
      return { frameId };
    }
    return { frameId, errorText: "net::ERR_TOO_MANY_REDIRECTS" };
  }

  #show(url: string, { responseHeaders, body }: Params<"Fetch.fulfillRequest">, entry: number | undefined): void {
    this.#url = url;
    this.#policy = responseHeaders
      .filter(({ name }) => /^content-security-policy$/i.test(name))
      .map(({ value }) => value)
      .join();
    const html = Buffer.from(body, "base64").toString("utf8");
    this.#elements = [
      ...html.matchAll(/<(title|h1|p|a|button|input|select|img|script)\b([^>]*)>(?:([^<]*)<\/\1>)?/g),
    ].map(([, tag = "", attributes = "", text = ""]) => ({
      tag,
      text,
      attributes: Object.fromEntries(
        [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
      ),
    }));
    if (entry === undefined) this.#history.push(url);
    else this.#history = this.#history.slice(0, entry + 1);
  }

  #tree(): AxNode[] {
    const roles: Record<string, string> = {
      h1: "heading",
      p: "StaticText",
      a: "link",
      button: "button",
      input: "textbox",
      select: "combobox",
    };
    const shown = this.#elements
      .map((element, index) => ({ element, index }))
      .filter(({ element }) => element.tag in roles);
    const title = this.#elements.find(({ tag }) => tag === "title")?.text ?? "";
    const root = { nodeId: "root", ignored: false, role: { value: "RootWebArea" }, name: { value: title } };
    const nodes = shown.map(({ element: { tag, text, attributes }, index }) => ({
      ...{ nodeId: `node-${index}`, ignored: false, backendDOMNodeId: index + 1 },
      role: { value: roles[tag] },
      name: { value: attributes["aria-label"] ?? text },
      ...(attributes.value !== undefined && { value: { value: attributes.value } }),
      properties:
        attributes.href === undefined
          ? []
          : [{ name: "url", value: { value: new URL(attributes.href, this.#url).href } }],
    }));
    return [{ ...root, childIds: nodes.map(({ nodeId }) => nodeId) }, ...nodes];
  }

  /** @throws Error as Chromium says it, if there is no such node */
  #at({ backendNodeId }: { backendNodeId: number }): { element: ScriptedElement; index: number } {
    const element = this.#elements[backendNodeId - 1];
    if (element === undefined) throw new Error("No node found for given backend id");
    return { element, index: backendNodeId - 1 };
  }

  /** What the tool's scripts find: a text field, a list with its options in `data-options`, or what takes no text. */
  #call({ objectId, functionDeclaration, arguments: [wanted] = [] }: Params<"Runtime.callFunctionOn">): unknown {
    const element = this.#elements[Number(objectId)];
    if (functionDeclaration.includes("this.options")) {
      const options = element?.attributes["data-options"]?.split(",") ?? [];
      if (!options.includes(String(wanted?.value))) return options.join(", ");
      if (element) element.attributes.value = String(wanted?.value);
      return "";
    }
    if (element?.tag === "select") return "options";
    return element?.tag === "input" ? "text" : "other";
  }

  #click(element: ScriptedElement | undefined, sessionId: string): void {
    if (element?.tag === "a") void this.#navigate(new URL(element.attributes.href ?? "", this.#url).href, sessionId);
    const later = element?.attributes["data-later"];
    if (later !== undefined) {
      const ask = () => void this.#request({ url: new URL(later, this.#url).href }, "XHR", sessionId);
      setTimeout(ask, LATER_MS);
    }
    const ask = element?.attributes["data-ask"];
    if (ask === undefined) return;
    const form = new URLSearchParams(
      this.#elements
        .filter(({ tag }) => tag === "input" || tag === "select")
        .map(({ attributes }) => [attributes.name ?? "", attributes.value ?? ""]),
    );
    const bytes = Buffer.from(String(form)).toString("base64");
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const request = {
      url: new URL(ask, this.#url).href,
      method: "POST",
      headers,
      hasPostData: true,
      postDataEntries: [{ bytes }],
    };
    void this.#request(request, "XHR", sessionId).then((answer) => {
      const shown = this.#elements.find(({ tag }) => tag === "p");
      if (shown) shown.text = answer === undefined ? "Failed" : Buffer.from(answer.body, "base64").toString("utf8");
    });
  }

  async #evaluate(expression: string, script: string, sessionId: string): Promise<object> {
    if (expression.includes("new WebSocket")) {
      const failed = this.#proxy !== undefined && !this.#faults.socketsEscape;
      const errorMessage = `Error in connection establishment: ${failed ? PROXY_FAILED : "net::ERR_CONNECTION_REFUSED"}`;
      this.#event("Network.webSocketFrameError", { errorMessage }, sessionId);
      return { result: {} };
    }
    const isWithout = script.includes("RTCPeerConnection") && !this.#faults.keepsWebRtc;
    const isHeld =
      this.#policy.includes("sandbox") && !this.#policy.includes("allow-popups") && !this.#faults.opensWindows;
    const webRtc = isWithout ? "undefined" : "function";
    return { result: { value: [webRtc, webRtc, isHeld ? "null" : "[object Window]"].join(" ") } };
  }
}

function headerOf(headers: readonly HeaderEntry[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
