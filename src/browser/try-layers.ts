import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { sleep } from "../lib/sleep.ts";
import { type AnswerRequest, DOCUMENT_POLICY } from "./answer-request.ts";
import { BrowserError } from "./browser-error.ts";
import type { CdpCommands, CdpEvent, CdpMethod } from "./cdp-protocol.ts";

/** A browser whose layers are tried. */
export interface TriedBrowser {
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

/** The document that the layers are tried with; it is never requested of anybody. */
const TRIAL_ADDRESS = "https://trial.invalid/";
const NOT_YET = "it did not come";
const TRIAL = `origin === "https://trial.invalid" ? [typeof RTCPeerConnection, typeof WebTransport, String(open("about:blank"))].join(" ") : "${NOT_YET}"`;
const TRIAL_PASSED = "undefined undefined null";
const TRIAL_MS = 5_000;
const TRIAL_TICK_MS = 50;

/**
 * A page without the other layers must reach nothing. The addresses are reserved: a request that got out would fail.
 * @throws BrowserError if one does not end at the proxy
 */
export async function tryProxy(browser: TriedBrowser, newPage: () => Promise<BarePage>): Promise<void> {
  const inBarePage = async (work: (sessionId: string) => Promise<string>): Promise<string> => {
    const { sessionId, close } = await newPage();
    const end = await work(sessionId);
    await close();
    return end;
  };
  const ends = [
    await inBarePage((sessionId) => endOfSocket(browser, "ws://127.0.0.1:8080/", sessionId)),
    // One page each: Chromium loads its page about an error again and again.
    await inBarePage((sessionId) => endOfDocument(browser, TRIAL_ADDRESS, sessionId)),
    await inBarePage((sessionId) => endOfDocument(browser, "http://127.0.0.1:8080/", sessionId)),
  ];
  const wrong = ends.find((end) => !end.includes(PROXY_FAILED));
  if (wrong !== undefined) throw notHeld(`a page had a way out besides the proxy that leads nowhere (${wrong})`);
}

/**
 * A document that the Worker answers must arrive, have no WebRTC, and be able to open no window.
 * @throws BrowserError if it does not, has some, or can
 */
export async function tryPage(browser: TriedBrowser): Promise<void> {
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
    () => endOfTrial(browser).catch(messageOf),
  );
  if (found !== TRIAL_PASSED) throw notHeld(`a document was not held (${String(found)})`);
}

async function endOfDocument(browser: TriedBrowser, url: string, sessionId: string): Promise<string> {
  return (await browser.send("Page.navigate", { url }, sessionId)).errorText ?? "it was answered";
}

async function endOfSocket(browser: TriedBrowser, url: string, sessionId: string): Promise<string> {
  const end = new Promise<string>((resolve) => {
    browser.onEvent = (event) => {
      if (event.method === "Network.webSocketFrameError") resolve(event.params.errorMessage);
      if (event.method === "Network.webSocketHandshakeResponseReceived") resolve("it was answered");
    };
  });
  await browser.send("Network.enable", {}, sessionId);
  const expression = `void new WebSocket("${url}")`;
  await browser.send("Runtime.evaluate", { expression, returnByValue: true }, sessionId);
  const said = (await comesWithin(TRIAL_MS, end)) ? await end : "its WebSocket did not end";
  browser.onEvent = () => undefined;
  return said;
}

async function endOfTrial(browser: TriedBrowser): Promise<unknown> {
  const { errorText } = await browser.send("Page.navigate", { url: TRIAL_ADDRESS });
  if (errorText !== undefined) return errorText;
  // As if a person had clicked: without that Chromium opens no window. One that opens may keep the script waiting.
  const trial = { expression: TRIAL, returnByValue: true, userGesture: true };
  for (let waited = 0; ; waited += TRIAL_TICK_MS) {
    const { value } = (await browser.send("Runtime.evaluate", trial, undefined, TRIAL_MS)).result;
    if (value !== NOT_YET || waited >= TRIAL_MS) return value;
    await sleep(TRIAL_TICK_MS);
  }
}

function notHeld(what: string): BrowserError {
  return new BrowserError(
    `The browser was not used, because its pages could not be held: ${what}. Nothing was opened. Use web_fetch, and tell your owner: src/docs/web.md says what holds a page.`,
  );
}
