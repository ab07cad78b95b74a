import { backoff } from "../client/backoff.ts";
import { follow, type Source } from "../client/follow.ts";
import { ApiError, approvalPath, requestJson, requestOk, runPath, type Server, sessionPath } from "../client/http.ts";
import { type Decision, type History, isAccepted, isHistory, isRun } from "../client/wire.ts";
import { activeRun, type Change, type Conversation, change, EMPTY } from "./conversation.ts";
import type { Outbox } from "./outbox.ts";
import { type Pending, settle } from "./pending.ts";
import { sessionSocket } from "./session-socket.ts";

const PAGE = 50;
/** After so long a request counts as lost and is sent again. */
const PATIENCE_MS = 20_000;

/** Everything that the chat shows. */
export interface ChatState {
  conversation: Conversation;
  /** Whether the newest messages were read. */
  opened: boolean;
  pending: readonly Pending[];
  link: "connecting" | "open" | "lost";
  loadingOlder: boolean;
  /** The run that was asked to stop. */
  stopping: string | undefined;
  /** What no further try will mend. */
  fault: string | undefined;
}

/** One session, live: what was said, what is being said, and what was sent and has not begun. */
export class Chat {
  readonly #server: Server;
  readonly #sessionKey: string;
  readonly #socket: Source;
  readonly #outbox: Outbox;
  readonly #onSignedOut: () => void;
  readonly #listeners = new Set<() => void>();
  readonly #life = new AbortController();
  #connection = new AbortController();
  #delivering = false;
  #state: ChatState;

  /** Connects at once, and sends what an earlier visit left unsent. `onSignedOut`: the server asks for the token. */
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

  /** Calls back after every change; gives the function that ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends a message, again and again until the server has it or refuses it. */
  send(text: string): void {
    const idempotencyKey = crypto.randomUUID();
    this.#outbox.keep({ idempotencyKey, text, at: Date.now() });
    const message = sending(idempotencyKey, text, this.#state.conversation.cursor);
    this.#update({ pending: [...this.#state.pending, message] });
    void this.#deliver();
  }

  /** Takes a refused message back and gives its text. */
  takeBack(idempotencyKey: string): string {
    this.#outbox.drop(idempotencyKey);
    const text = this.#state.pending.find((message) => message.idempotencyKey === idempotencyKey)?.text ?? "";
    this.#update({ pending: this.#state.pending.filter((message) => message.idempotencyKey !== idempotencyKey) });
    return text;
  }

  /** Asks the active run to stop. */
  async stop(): Promise<void> {
    const runId = activeRun(this.#state.conversation);
    if (runId === undefined) return;
    this.#update({ stopping: runId });
    if (!(await this.#act(runPath(runId, "abort")))) this.#update({ stopping: undefined });
  }

  /** Says whether a tool call may run. */
  async decide(approvalId: string, decision: Decision): Promise<void> {
    await this.#act(approvalPath(approvalId), { decision });
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
        page: await requestJson(this.#server, { path, signal: this.#life.signal }, isHistory),
      });
    } catch (error) {
      this.#judge(error);
    } finally {
      this.#update({ loadingOlder: false });
    }
  }

  /** Connects now rather than after the pause: the network is back, or somebody looks. */
  wake(): void {
    if (this.#state.link !== "open" && this.#state.fault === undefined) this.#connect();
  }

  /** Ends every request; the chat is of no use afterwards. */
  close(): void {
    this.#life.abort();
    this.#listeners.clear();
  }

  #connect(): void {
    this.#connection.abort();
    this.#connection = new AbortController();
    void this.#listen(AbortSignal.any([this.#life.signal, this.#connection.signal]));
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
        // What the cursor points into is gone: begin again from the transcript.
        if (error instanceof ApiError && error.status === 410) this.#update({ opened: false });
        else if (!this.#judge(error)) return;
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
      // The transcript does not say whether its last run is still at work, or why it failed.
      const run = await requestJson(this.#server, { path: runPath(last.runId), signal }, isRun);
      this.#apply({ type: "run", run });
    }
    this.#update({ opened: true });
  }

  async #deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    const tries = backoff(this.#life.signal);
    for (let next = this.#unsent(); next && !this.#life.signal.aborted; next = this.#unsent()) {
      try {
        this.#mark(next.idempotencyKey, { type: "accepted", runId: await this.#post(next) });
        this.#outbox.drop(next.idempotencyKey);
        tries.reset();
      } catch (error) {
        if (this.#life.signal.aborted) break;
        if (!(error instanceof ApiError)) throw error;
        if (error.passing) await tries.wait();
        else if (error.status === 401) this.#judge(error);
        else this.#mark(next.idempotencyKey, { type: "refused", message: error.message });
      }
    }
    this.#delivering = false;
  }

  async #post({ text, idempotencyKey }: Pending): Promise<string> {
    const body = { message: text, sessionKey: this.#sessionKey, idempotencyKey };
    const signal = AbortSignal.any([this.#life.signal, AbortSignal.timeout(PATIENCE_MS)]);
    return (await requestJson(this.#server, { method: "POST", path: "/v1/agent", body, signal }, isAccepted)).runId;
  }

  /** Asks the server to do something, once. Tells whether it will. */
  async #act(path: string, body: object = {}): Promise<boolean> {
    this.#update({ fault: undefined });
    try {
      await requestOk(this.#server, { method: "POST", path, body, signal: this.#life.signal });
      return true;
    } catch (error) {
      this.#judge(error);
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

  /** Tells whether the same request is worth another try; where it is not, what happened is made known. */
  #judge(error: unknown): boolean {
    if (this.#life.signal.aborted) return false;
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

/** A session begins with its first message: until then there is none, which is nothing to complain of. */
function emptyWhereNone(error: unknown): History {
  if (error instanceof ApiError && error.status === 404) return { messages: [], cursor: 0 };
  throw error;
}

function sending(idempotencyKey: string, text: string, afterSeq: number): Pending {
  return { idempotencyKey, text, state: { type: "sending", afterSeq } };
}
