import { comesWithin } from "../lib/deadline.ts";
import { BrowserError } from "./browser-error.ts";
import type { CdpCommands, CdpEvent, CdpMethod } from "./cdp-protocol.ts";

/** How long a command may take, in milliseconds: a page whose script never ends answers none. */
const COMMAND_MS = 15_000;

/** What a command that is not answered within its time ends with. */
export class PageHangsError extends BrowserError {}

/** The browser has refused a command, in its own words. */
export class CommandError extends BrowserError {}

interface Waiting {
  method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * A connection to a browser in the Chrome DevTools Protocol, with one session for each target (`flatten`). Events are
 * given to the listener in the order in which they come.
 */
export class CdpConnection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isClosed = false;
  /** Called with each event. */
  onEvent: (event: CdpEvent) => void = () => undefined;
  /** Called once, when the browser or its connection has ended. */
  onClosed: () => void = () => undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("close", () => this.#end());
    socket.addEventListener("error", () => this.#end());
    socket.accept();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends a command, to the browser itself if no session is named, and returns its result.
   * @throws CommandError if the browser refuses it, PageHangsError if it does not answer, BrowserError if it has ended
   */
  async send<Method extends CdpMethod>(
    method: Method,
    params: CdpCommands[Method][0],
    sessionId?: string,
    timeoutMs = COMMAND_MS,
  ): Promise<CdpCommands[Method][1]> {
    if (this.#isClosed) throw ended();
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { method, resolve, reject }));
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    if (!(await comesWithin(timeoutMs, answer))) {
      this.#waiting.delete(id);
      throw new PageHangsError(
        `The page did not answer within ${timeoutMs / 1000} seconds: a script keeps it busy. Open it again, or another one.`,
      );
    }
    return (await answer) as CdpCommands[Method][1];
  }

  /** Closes the connection. May be called again. */
  close(): void {
    if (this.#isClosed) return;
    this.#socket.close();
    this.#end();
  }

  #receive(data: unknown): void {
    const message: CdpEvent & { id?: number; result?: unknown; error?: { message?: string } } = JSON.parse(
      String(data),
    );
    if (message.id === undefined) {
      this.onEvent(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else waiting?.reject(new CommandError(`${waiting.method}: ${message.error.message ?? "refused"}`));
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(ended());
    this.#waiting.clear();
    this.onClosed();
  }
}

function ended(): BrowserError {
  return new BrowserError("The browser has ended, and its page with it. Use action open to open the page again.");
}
