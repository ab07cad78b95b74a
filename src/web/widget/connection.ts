import type { ShownConversation, Visit } from "../../http/webchat-schema.ts";
import type { Memory } from "./memory.ts";

const TIMEOUT_MS = 20_000;
/** Longer than the Worker lets a request for replies wait. */
const WAIT_TIMEOUT_MS = 45_000;

/** A request that was answered with an error; without a status where there was no answer. */
export class Refused extends Error {
  readonly status: number | undefined;
  readonly retryAfterMs: number;

  constructor(status: number | undefined, retryAfterMs = 0) {
    super(status === undefined ? "There was no answer." : `The answer was ${status}.`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed in a moment. */
  get isPassing(): boolean {
    return this.status === undefined || this.status >= 500;
  }
}

/** What the chat box asks the Worker. All of it throws `Refused`, and may be asked again. */
export class Connection {
  readonly #address: string;
  readonly #memory: Memory;

  /** @param address of the account, without a slash at its end */
  constructor(address: string, memory: Memory) {
    this.#address = address;
    this.#memory = memory;
  }

  /** Begins, or goes on after a reload. */
  async visit(): Promise<Visit> {
    const visit: Visit = await this.#ask("visits", {});
    this.#memory.change({ token: visit.token });
    return visit;
  }

  async say(message: { id: string; text: string }): Promise<void> {
    await this.#asVisitor("messages", message);
  }

  replies(since: string, wait: boolean): Promise<ShownConversation> {
    return this.#asVisitor("replies", { since, wait }, wait ? WAIT_TIMEOUT_MS : TIMEOUT_MS);
  }

  /** Asks once more as a new visitor if the browser is not known any longer. */
  async #asVisitor<Answer>(what: string, body: object, timeoutMs = TIMEOUT_MS): Promise<Answer> {
    try {
      return await this.#ask(what, body, timeoutMs);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401) throw error;
      await this.visit();
      return this.#ask(what, body, timeoutMs);
    }
  }

  async #ask<Answer>(what: string, body: object, timeoutMs = TIMEOUT_MS): Promise<Answer> {
    const { token } = this.#memory.kept;
    const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
    const signal = AbortSignal.timeout(timeoutMs);
    const init: RequestInit = { method: "POST", headers, body: JSON.stringify(body), credentials: "omit", signal };
    const response = await fetch(`${this.#address}/${what}`, init).catch(() => undefined);
    const answer = await response?.json().catch(() => undefined);
    if (response?.ok && answer !== undefined) return answer as Answer;
    throw new Refused(response?.status, 1000 * Number(response?.headers.get("Retry-After") ?? 0));
  }
}
