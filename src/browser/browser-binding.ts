import { head } from "../lib/text.ts";
import { BrowserError } from "./browser-error.ts";

/** The binding of Cloudflare's Browser Run, `[browser]` in wrangler.toml: its HTTP API, behind any host name. */
export interface BrowserBinding {
  fetch(input: string, init?: RequestInit): Promise<Response>;
}

/** A browser that is ours alone until it is released. */
export interface AcquiredBrowser {
  /** The browser's endpoint of the DevTools protocol: each text message is one JSON message. */
  socket: WebSocket;
  /** Ends the browser, which is paid for until then. Rejects if the binding could not be reached. */
  release(): Promise<void>;
}

const API = "https://browser-run.invalid/v1/devtools/browser";

/** The most of an answer's words that an error repeats. */
const MAX_WORDS = 200;

/**
 * Acquires a browser and connects to it.
 *
 * The requests are those of `@cloudflare/puppeteer` 1.4.0 (`src/cloudflare/PuppeteerWorkers.ts` and
 * `WorkersWebSocketTransport.ts`): `POST /v1/devtools/browser` with the guardrails as its body, then an upgrade of
 * `/v1/devtools/browser/<id>`. Its messages are not framed; only the former `/v1/connectDevtools` splits them into chunks
 * with a header of four bytes.
 * @param keepAliveMs after how long without a message the platform ends the browser, from 10 seconds to 10 minutes
 * @throws BrowserError if no browser is available
 */
export async function acquireBrowser(binding: BrowserBinding, keepAliveMs: number): Promise<AcquiredBrowser> {
  const answer = await reach(binding, `${API}?keep_alive=${keepAliveMs}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    // No host at all: what pages request is answered by the Worker. The local simulation of the binding ignores it.
    body: JSON.stringify({ guardrails: { allowedDomains: [] } }),
  });
  const words = await answer.text();
  if (answer.status !== 200) throw notAcquired(answer, words);
  const address = `${API}/${encodeURIComponent(sessionId(words))}`;
  const release = async () => void (await (await reach(binding, address, { method: "DELETE" })).body?.cancel());
  const connected = await reach(binding, address, { headers: { Upgrade: "websocket" } });
  const socket = connected.webSocket;
  if (!socket) {
    await release();
    throw new BrowserError(`The browser took no connection (status ${connected.status}). Try again in a minute.`);
  }
  return { socket, release };
}

async function reach(binding: BrowserBinding, address: string, init: RequestInit): Promise<Response> {
  try {
    return await binding.fetch(address, init);
  } catch (error) {
    throw new BrowserError(`The browser binding did not answer: ${head(String(error), MAX_WORDS)}. Try again later.`);
  }
}

function sessionId(words: string): string {
  try {
    const { sessionId }: { sessionId?: unknown } = JSON.parse(words);
    if (typeof sessionId === "string" && sessionId !== "") return sessionId;
    throw new Error("no sessionId");
  } catch {
    throw new BrowserError(`The browser binding named no browser: ${head(words, MAX_WORDS)}. Try again later.`);
  }
}

function notAcquired({ status, headers }: Response, words: string): BrowserError {
  const said = head(words.trim(), MAX_WORDS);
  if (status === 429 && /time limit/i.test(words)) {
    return new BrowserError(
      "The browser time of this account is used up for today, and there is more from midnight UTC on (Workers Paid has " +
        "no daily limit). Use web_fetch until then.",
    );
  }
  if (status === 429) {
    const wait = headers.get("Retry-After");
    return new BrowserError(
      `No browser is free: too many were opened lately, or are open. Try again in ${wait === null ? "a minute" : `${wait} seconds`}, or use web_fetch.`,
    );
  }
  if (status === 503) return new BrowserError("No browser is free. Try again in a few minutes, or use web_fetch.");
  return new BrowserError(`The browser binding refused with status ${status}: ${said}. Tell your owner.`);
}
