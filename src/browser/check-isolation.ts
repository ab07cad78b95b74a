import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { sleep } from "../lib/sleep.ts";
import { type AnswerRequest, DOCUMENT_POLICY } from "./answer-request.ts";
import { BrowserError } from "./browser-error.ts";
import type { CdpCommands, CdpEvent, CdpMethod } from "./cdp-protocol.ts";

/** A browser whose isolation is checked. */
export interface CheckedBrowser {
  /** Sends a command to the page, or to the target with this session. */
  send<Method extends CdpMethod>(
    method: Method,
    params: CdpCommands[Method][0],
    sessionId?: string,
    timeoutMs?: number,
  ): Promise<CdpCommands[Method][1]>;
  /** Lets the page load what this answers, until the work has ended. */
  use<Result>(answer: AnswerRequest, before: () => unknown, work: () => Promise<Result>): Promise<Result>;
  /** Is told every event. */
  onEvent: (event: CdpEvent) => void;
}

/** A page in the browser's context, around which there is no layer but the proxy. */
export interface BarePage {
  targetId: string;
  sessionId: string;
  close(): Promise<void>;
}

/** How Chromium says that a proxy did not answer. */
const PROXY_FAILED = "ERR_PROXY_CONNECTION_FAILED";

/** The document that the layers are checked with; it is never requested of anybody. */
const CHECK_ADDRESS = "https://trial.invalid/";
const NOT_YET = "it did not come";
const CHECK = `origin === "https://trial.invalid" ? [typeof RTCPeerConnection, typeof WebTransport, String(open("about:blank"))].join(" ") : "${NOT_YET}"`;
const CHECK_PASSED = "undefined undefined null";
const CHECK_MS = 5_000;
const CHECK_TICK_MS = 50;

/**
 * A page without the other layers must reach nothing. The addresses are reserved: a request that got out would fail.
 * @throws BrowserError if one does not end at the proxy
 */
export async function checkProxy(browser: CheckedBrowser, newPage: () => Promise<BarePage>): Promise<void> {
  const inBarePage = async (work: (sessionId: string) => Promise<string>): Promise<string> => {
    const { sessionId, close } = await newPage();
    const end = await work(sessionId);
    await close();
    return end;
  };
  const ends = [
    await inBarePage((sessionId) => endOfSocket(browser, "ws://127.0.0.1:8080/", sessionId)),
    // One page each: Chromium loads its page about an error again and again.
    await inBarePage((sessionId) => endOfDocument(browser, CHECK_ADDRESS, sessionId)),
    await inBarePage((sessionId) => endOfDocument(browser, "http://127.0.0.1:8080/", sessionId)),
  ];
  const wrong = ends.find((end) => !end.includes(PROXY_FAILED));
  if (wrong !== undefined) throw notHeld(`a page had a way out besides the proxy that leads nowhere (${wrong})`);
}

/**
 * A document that the Worker answers must arrive, have no WebRTC, and be able to open no window.
 * @throws BrowserError if it does not, has some, or can
 */
export async function checkDocument(browser: CheckedBrowser): Promise<void> {
  const html = new TextEncoder().encode('<link rel="icon" href="data:,">');
  const answer: AnswerRequest = async () => ({
    ...{ kind: "fulfill", status: 200, bytes: html.length, body: btoa(String.fromCharCode(...html)) },
    headers: [
      { name: "Content-Type", value: "text/html" },
      { name: "Content-Security-Policy", value: DOCUMENT_POLICY },
    ],
  });
  const found = await browser.use(
    answer,
    () => undefined,
    () => checkResult(browser).catch(messageOf),
  );
  if (found !== CHECK_PASSED) throw notHeld(`a document was not held (${String(found)})`);
}

async function endOfDocument(browser: CheckedBrowser, url: string, sessionId: string): Promise<string> {
  return (await browser.send("Page.navigate", { url }, sessionId)).errorText ?? "it was answered";
}

async function endOfSocket(browser: CheckedBrowser, url: string, sessionId: string): Promise<string> {
  const end = new Promise<string>((resolve) => {
    browser.onEvent = (event) => {
      if (event.method === "Network.webSocketFrameError") resolve(event.params.errorMessage);
      if (event.method === "Network.webSocketHandshakeResponseReceived") resolve("it was answered");
    };
  });
  await browser.send("Network.enable", {}, sessionId);
  const expression = `void new WebSocket("${url}")`;
  await browser.send("Runtime.evaluate", { expression, returnByValue: true }, sessionId);
  const said = (await comesWithin(CHECK_MS, end)) ? await end : "its WebSocket did not end";
  browser.onEvent = () => undefined;
  return said;
}

async function checkResult(browser: CheckedBrowser): Promise<unknown> {
  const { errorText } = await browser.send("Page.navigate", { url: CHECK_ADDRESS });
  if (errorText !== undefined) return errorText;
  // As if a person had clicked: without that Chromium opens no window. One that opens may keep the script waiting.
  const check = { expression: CHECK, returnByValue: true, userGesture: true };
  for (let waited = 0; ; waited += CHECK_TICK_MS) {
    const { value } = (await browser.send("Runtime.evaluate", check, undefined, CHECK_MS)).result;
    if (value !== NOT_YET || waited >= CHECK_MS) return value;
    await sleep(CHECK_TICK_MS);
  }
}

function notHeld(what: string): BrowserError {
  return new BrowserError(
    `The browser was not used, because its pages could not be held: ${what}. Nothing was opened. Use web_fetch, and tell your owner: src/docs/web.md says what holds a page.`,
  );
}
