import { backoff } from "../client/backoff.ts";
import { follow, type Source } from "../client/follow.ts";
import { ApiError, approvalPath, requestJson, requestOk, runPath, type Server, sessionPath } from "../client/http.ts";
import { type Decision, type History, isAccepted, isHistory, isRun } from "../client/wire.ts";
import { activeRun, type Change, type Conversation, change, EMPTY } from "./conversation.ts";
import type { Outbox } from "./outbox.ts";
import { type Pending, settle } from "./pending.ts";
import { sessionSocket } from "./session-socket.ts";

const PAGE = 50;
/** After this time without an answer, a request is sent again. */
const REQUEST_TIMEOUT_MS = 20_000;

/** The state that the chat shows. */
export interface ChatState {
  conversation: Conversation;
  /** Whether the newest messages were read. */
  opened: boolean;
  pending: readonly Pending[];
  link: "connecting" | "open" | "lost";
  loadingOlder: boolean;
  /** The run that is being stopped. */
  stopping: string | undefined;
  /** The message of an error that another try would not fix. */
  fault: string | undefined;
}

/** A live session: its transcript, the current draft, and pending messages. */
export class Chat {
  readonly #server: Server;
  readonly #sessionKey: string;
  readonly #socket: Source;
  readonly #outbox: Outbox;
  readonly #onSignedOut: () => void;
  readonly #listeners = new Set<() => void>();
  readonly #lifetime = new AbortController();
  #connection = new AbortController();
  #delivering = false;
  #state: ChatState;

  /** Connects at once and sends unsent messages of an earlier visit. Calls `onSignedOut` when the login has expired. */
  constructor(server: Server, sessionKey: string, outbox: Outbox, onSignedOut: () => void) {
    this.#server = server;
    this.#sessionKey = sessionKey;
    this.#socket = sessionSocket(server, sessionKey);
    this.#outbox = outbox;
    this.#onSignedOut = onSignedOut;
    this.#state = {
      conversation: EMPTY,
      opened: false,
      pending: outbox.unsent().map((kept) => sending(kept.idempotencyKey, kept.text, Number.POSITIVE_INFINITY)),
      link: "connecting",
      loadingOlder: false,
      stopping: undefined,
      fault: undefined,
    };
    this.#connect();
    void this.#deliver();
  }

  get state(): ChatState {
    return this.#state;
  }

  /** Calls the listener after every change; returns the function that unsubscribes it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends a message, with retries until the server accepts or refuses it. */
  send(text: string): void {
    const idempotencyKey = crypto.randomUUID();
    this.#outbox.keep({ idempotencyKey, text, at: Date.now() });
    const message = sending(idempotencyKey, text, this.#state.conversation.cursor);
    this.#update({ pending: [...this.#state.pending, message] });
    void this.#deliver();
  }

  /** Removes a refused message and returns its text. */
  takeBack(idempotencyKey: string): string {
    this.#outbox.drop(idempotencyKey);
    const text = this.#state.pending.find((message) => message.idempotencyKey === idempotencyKey)?.text ?? "";
    this.#update({ pending: this.#state.pending.filter((message) => message.idempotencyKey !== idempotencyKey) });
    return text;
  }

  /** Aborts the active run. */
  async stop(): Promise<void> {
    const runId = activeRun(this.#state.conversation);
    if (runId === undefined) return;
    this.#update({ stopping: runId });
    if (!(await this.#sendOnce(runPath(runId, "abort")))) this.#update({ stopping: undefined });
  }

  /** Decides an approval. */
  async decide(approvalId: string, decision: Decision): Promise<void> {
    await this.#sendOnce(approvalPath(approvalId), { decision });
  }

  /** Reads the page before the oldest message, if there is one. */
  async loadOlder(): Promise<void> {
    const { before } = this.#state.conversation;
    if (before === undefined || this.#state.loadingOlder) return;
    this.#update({ loadingOlder: true });
    try {
      const path = `${sessionPath(this.#sessionKey, "history")}?limit=${PAGE}&before=${before}`;
      this.#apply({
        type: "older",
        page: await requestJson(this.#server, { path, signal: this.#lifetime.signal }, isHistory),
      });
    } catch (error) {
      this.#handleError(error);
    } finally {
      this.#update({ loadingOlder: false });
    }
  }

  /** Reconnects at once instead of after the pause. */
  wake(): void {
    if (this.#state.link !== "open" && this.#state.fault === undefined) this.#connect();
  }

  /** Aborts every request; the chat cannot be used afterwards. */
  close(): void {
    this.#lifetime.abort();
    this.#listeners.clear();
  }

  #connect(): void {
    this.#connection.abort();
    this.#connection = new AbortController();
    void this.#listen(AbortSignal.any([this.#lifetime.signal, this.#connection.signal]));
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const tries = backoff(signal);
    while (!signal.aborted) {
      try {
        if (!this.#state.opened) await this.#readNewest(signal);
        const after = this.#state.conversation.cursor;
        const onLink = (link: "open" | "lost") => this.#update({ link });
        for await (const event of follow(this.#socket, { after, signal, onLink })) {
          this.#apply({ type: "event", event });
        }
      } catch (error) {
        if (signal.aborted) return;
        // The events after the cursor were deleted: read the transcript again.
        if (error instanceof ApiError && error.status === 410) this.#update({ opened: false });
        else if (!this.#handleError(error)) return;
        this.#update({ link: "lost" });
        await tries.wait();
      }
    }
  }

  async #readNewest(signal: AbortSignal): Promise<void> {
    const path = `${sessionPath(this.#sessionKey, "history")}?limit=${PAGE}`;
    const page = await requestJson(this.#server, { path, signal }, isHistory).catch(emptyWhereNone);
    this.#apply({ type: "opened", page });
    const last = page.messages.at(-1);
    if (last) {
      // The transcript does not say whether its last run is still active, or why it failed.
      const run = await requestJson(this.#server, { path: runPath(last.runId), signal }, isRun);
      this.#apply({ type: "run", run });
    }
    this.#update({ opened: true });
  }

  async #deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    const tries = backoff(this.#lifetime.signal);
    for (let next = this.#unsent(); next && !this.#lifetime.signal.aborted; next = this.#unsent()) {
      try {
        this.#mark(next.idempotencyKey, { type: "accepted", runId: await this.#post(next) });
        this.#outbox.drop(next.idempotencyKey);
        tries.reset();
      } catch (error) {
        if (this.#lifetime.signal.aborted) break;
        if (!(error instanceof ApiError)) throw error;
        if (error.passing) await tries.wait();
        else if (error.status === 401) this.#handleError(error);
        else this.#mark(next.idempotencyKey, { type: "refused", message: error.message });
      }
    }
    this.#delivering = false;
  }

  async #post({ text, idempotencyKey }: Pending): Promise<string> {
    const body = { message: text, sessionKey: this.#sessionKey, idempotencyKey };
    const signal = AbortSignal.any([this.#lifetime.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    return (await requestJson(this.#server, { method: "POST", path: "/v1/agent", body, signal }, isAccepted)).runId;
  }

  /** Sends one request without retries. Resolves with whether it succeeded. */
  async #sendOnce(path: string, body: object = {}): Promise<boolean> {
    this.#update({ fault: undefined });
    try {
      await requestOk(this.#server, { method: "POST", path, body, signal: this.#lifetime.signal });
      return true;
    } catch (error) {
      this.#handleError(error);
      return false;
    }
  }

  #unsent(): Pending | undefined {
    return this.#state.pending.find((message) => message.state.type === "sending");
  }

  #mark(idempotencyKey: string, state: Pending["state"]): void {
    const pending = this.#state.pending.map((one) => (one.idempotencyKey === idempotencyKey ? { ...one, state } : one));
    this.#update({ pending: settle(pending, this.#state.conversation) });
  }

  #apply(what: Change): void {
    const conversation = change(this.#state.conversation, what);
    if (conversation === this.#state.conversation) return;
    this.#update({ conversation, pending: settle(this.#state.pending, conversation) });
  }

  /** Whether the request may be tried again; where not, shows the error or signs out. */
  #handleError(error: unknown): boolean {
    if (this.#lifetime.signal.aborted) return false;
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) {
      this.close();
      this.#onSignedOut();
    } else if (!error.passing) {
      this.#update({ fault: error.message });
    }
    return error.passing;
  }

  #update(next: Partial<ChatState>): void {
    this.#state = { ...this.#state, ...next };
    for (const listener of this.#listeners) listener();
  }
}

/** A session exists from its first message on: until then, its transcript is empty. */
function emptyWhereNone(error: unknown): History {
  if (error instanceof ApiError && error.status === 404) return { messages: [], cursor: 0 };
  throw error;
}

function sending(idempotencyKey: string, text: string, afterSeq: number): Pending {
  return { idempotencyKey, text, state: { type: "sending", afterSeq } };
}
