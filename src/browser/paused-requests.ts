import type { AnswerRequest, RequestAnswer, RequestOrigin } from "./answer-request.ts";
import type { CdpCommands, PausedRequest } from "./cdp-protocol.ts";

/** The requests of a page that the Worker answers at once: connections of one invocation are few, and memory is small. */
const MAX_AT_ONCE = 4;
/** A call lets a page load so much; a shop's front page has about 150 requests and 10 MB. */
const MAX_REQUESTS = 400;
const MAX_BYTES = 64 * 1024 * 1024;
/** So many requests wait between two calls, and more fail: a page that polls has one open, or a few. */
const MAX_HELD = 50;

const LOADED_ENOUGH = `The page has loaded as much as a call may (${MAX_REQUESTS} requests, ${MAX_BYTES / 1024 / 1024} MiB): what it asks beyond that fails.`;

/** The commands that end the pause of a request. */
type AnswerMethod = "Fetch.continueRequest" | "Fetch.fulfillRequest" | "Fetch.failRequest";

/** What the requests of a page need of its browser. */
export interface PausedRequestsDeps {
  send<Method extends AnswerMethod>(
    method: Method,
    params: CdpCommands[Method][0],
    sessionId: string | undefined,
  ): Promise<unknown>;
  /** Where in the page a request comes from. */
  originOf(paused: PausedRequest, sessionId: string | undefined): RequestOrigin;
  /** Called when a request arrives and when it is answered. */
  onActivity(): void;
  /** Keeps why a request failed. */
  note(reason: string): void;
  /** Runs work without waiting for it; logs its failure. */
  begin(work: Promise<unknown>): void;
}

interface Waiting {
  paused: PausedRequest;
  sessionId: string | undefined;
}

/** The requests of a page, which DevTools stop: they are answered while a call is at work, and wait between two calls. */
export class PausedRequests {
  readonly #deps: PausedRequestsDeps;
  #answer: AnswerRequest | undefined;
  /** What came between two calls. */
  readonly #held: Waiting[] = [];
  /** What waits until another one has been answered. */
  readonly #queue: Waiting[] = [];
  #answering = 0;
  /** Of the call at work. */
  #requests = 0;
  #bytes = 0;

  constructor(deps: PausedRequestsDeps) {
    this.#deps = deps;
  }

  /** Requests that are being answered or wait for it. */
  get pending(): number {
    return this.#answering + this.#queue.length;
  }

  /** Answers from the end of `before` to that of `work`, what has waited since the last call too. */
  async answerDuring<Result>(
    answer: AnswerRequest,
    before: () => unknown,
    work: () => Promise<Result>,
  ): Promise<Result> {
    this.#requests = 0;
    this.#bytes = 0;
    await before();
    this.#answer = answer;
    try {
      for (const { paused, sessionId } of this.#held.splice(0)) this.take(paused, sessionId);
      return await work();
    } finally {
      this.#answer = undefined;
      this.#held.push(...this.#queue.splice(0));
    }
  }

  /** Answers a request, now or when another has been answered; between calls it waits for the next. Beyond `MAX_HELD` it fails. */
  take(paused: PausedRequest, sessionId: string | undefined): void {
    this.#deps.onActivity();
    if (this.#answer !== undefined) {
      this.#queue.push({ paused, sessionId });
      this.#answerNext();
    } else if (this.#held.length < MAX_HELD) {
      this.#held.push({ paused, sessionId });
    } else {
      this.#deps.begin(this.#respond({ paused, sessionId }, { kind: "fail", reason: "Failed", why: "" }));
    }
  }

  #answerNext(): void {
    const answer = this.#answer;
    if (answer === undefined || this.#answering >= MAX_AT_ONCE) return;
    const next = this.#queue.shift();
    if (next === undefined) return;
    this.#answering++;
    this.#requests++;
    const isOver = this.#requests > MAX_REQUESTS || this.#bytes > MAX_BYTES;
    const origin = this.#deps.originOf(next.paused, next.sessionId);
    const found: Promise<RequestAnswer> = isOver
      ? Promise.resolve({ kind: "fail", reason: "BlockedByClient", why: LOADED_ENOUGH })
      : answer(next.paused, origin);
    this.#deps.begin(
      found
        .then((given) => this.#respond(next, origin.isMain ? inPlaceOfPage(given) : given))
        .finally(() => {
          this.#answering--;
          this.#deps.onActivity();
          this.#answerNext();
        }),
    );
  }

  async #respond({ paused: { requestId }, sessionId }: Waiting, answer: RequestAnswer | Stay): Promise<void> {
    const { send, note } = this.#deps;
    switch (answer.kind) {
      case "continue":
        await send("Fetch.continueRequest", { requestId }, sessionId);
        return;
      case "stay":
        note(answer.why);
        await send("Fetch.fulfillRequest", { requestId, responseCode: 204, responseHeaders: [], body: "" }, sessionId);
        return;
      case "fail":
        if (answer.why !== "") note(answer.why);
        await send("Fetch.failRequest", { requestId, errorReason: answer.reason }, sessionId);
        return;
      case "fulfill": {
        this.#bytes += answer.bytes;
        const { status: responseCode, headers: responseHeaders, body } = answer;
        await send("Fetch.fulfillRequest", { requestId, responseCode, responseHeaders, body }, sessionId);
        return;
      }
    }
  }
}

/** The page stays where it is: an answer without content takes the place of nothing. */
interface Stay {
  kind: "stay";
  why: string;
}

/** A page that is not loaded leaves the one before it, which an error page would replace. */
function inPlaceOfPage(answer: RequestAnswer): RequestAnswer | Stay {
  return answer.kind === "fail" ? { kind: "stay", why: answer.why } : answer;
}
