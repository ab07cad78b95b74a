import { setTimeout as sleep } from "node:timers/promises";
import { attempt, type Client } from "./client.ts";

const POLL_MS = 200;

/** The person who allows what the agent asks for, whenever it is there to be asked. */
export class Approver {
  /** The approvals that were answered. */
  readonly decided = new Set<string>();
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #over: Promise<void>;

  constructor(client: Client) {
    this.#client = client;
    this.#over = this.#answer();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  async #answer(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const answer = await attempt(this.#client, "/v1/approvals", {});
      const { approvals = [] } = (answer?.ok ? answer.body : {}) as { approvals?: { id: string }[] };
      for (const { id } of approvals) {
        const body = { decision: "allow-once" };
        const done = await attempt(this.#client, `/v1/approvals/${encodeURIComponent(id)}`, { method: "POST", body });
        if (done?.ok) this.decided.add(id);
      }
      await sleep(POLL_MS);
    }
  }
}
