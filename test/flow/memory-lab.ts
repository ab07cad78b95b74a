import {
  createExecutionContext,
  createMessageBatch,
  env,
  getQueueResult,
  waitOnExecutionContext,
} from "cloudflare:test";
import { createApp } from "../../src/http/app.ts";
import worker from "../../src/index.ts";
import type { MemoryPassage, MemoryStatus, SearchAnswer } from "../../src/memory/agent-memory.ts";
import { putOutside } from "./outside.ts";

const ORIGIN = "https://isopod.test";

/** What somebody has put into the queue of memory. */
export interface Asked {
  agentId: string;
  delaySeconds: number;
}

/** A refusal, as HTTP answers it. */
export interface Refused {
  status: number;
  code: string;
  message: string;
  hint?: string;
}

/**
 * The Worker with agents of a test's own. The queue's own consumer does not know them, and would clear their indexes away:
 * it is told nothing, and what is to be indexed later happens when the test says so.
 */
export class MemoryLab {
  readonly bindings: Env;
  /** What was put into the queue, in its order. */
  readonly asked: Asked[] = [];
  readonly #app = createApp();

  /** @param agents entries of `agents.list`; their ids are to be the test's own */
  constructor(agents: readonly { id: string; memorySearch?: object; workspace?: string }[], more: object = {}) {
    const config = JSON.parse(env.ISOPOD_CONFIG ?? "{}");
    config.agents.list.push(...agents);
    this.bindings = { ...env, INDEXING: this.#watched(), ISOPOD_CONFIG: JSON.stringify(config), ...more };
  }

  /** Asks the Worker, and waits for what it does after its answer. */
  async call(method: string, path: string, body?: unknown): Promise<Response> {
    const context = createExecutionContext();
    const type = body === undefined ? {} : { "Content-Type": "application/json" };
    const init: RequestInit = { method, headers: { Authorization: "Bearer test-token", ...type } };
    if (body !== undefined)
      init.body = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    const response = await this.#app.request(`${ORIGIN}/v1/agents/${path}`, init, this.bindings, context);
    await waitOnExecutionContext(context);
    return response;
  }

  async put(agentId: string, path: string, content: string | Uint8Array): Promise<void> {
    const { status } = await this.call("PUT", `${agentId}/workspace/${encodeURI(path)}`, content);
    if (status > 201) throw new Error(`${path} was not stored: ${status}`);
  }

  async remove(agentId: string, path: string): Promise<void> {
    await this.call("DELETE", `${agentId}/workspace/${encodeURI(path)}`);
  }

  /** Writes into the bucket as another program does, which tells nobody. */
  async upload(agentId: string, path: string, content: string): Promise<void> {
    await putOutside(`agents/${agentId}/workspace/${path}`, content);
  }

  async search(agentId: string, query: string, more: object = {}): Promise<SearchAnswer & { tookMs: number }> {
    return (await this.call("POST", `${agentId}/memory/search`, { query, ...more })).json();
  }

  /** The places that a search finds, best first. */
  async found(agentId: string, query: string): Promise<string[]> {
    return (await this.search(agentId, query)).results.map(({ citation }) => citation);
  }

  async read(agentId: string, query: Record<string, string>): Promise<MemoryPassage> {
    return (await this.call("GET", `${agentId}/memory/file?${new URLSearchParams(query)}`)).json();
  }

  async status(agentId: string): Promise<MemoryStatus> {
    return (await this.call("GET", `${agentId}/memory/status`)).json();
  }

  async index(agentId: string, force = false): Promise<{ status: number; body: MemoryStatus }> {
    const response = await this.call("POST", `${agentId}/memory/index`, { force });
    return { status: response.status, body: await response.json() };
  }

  /** Delivers messages to the queue's consumer as one batch. Gives which were acknowledged, and which come again. */
  async deliver(bodies: readonly unknown[], attempts = 1): Promise<{ acked: string[]; retried: string[] }> {
    const messages = bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts, body }));
    const batch = createMessageBatch("isopod-memory", messages);
    const context = createExecutionContext();
    await worker.queue(batch, this.bindings, context);
    const { explicitAcks, retryMessages } = await getQueueResult(batch, context);
    return { acked: [...explicitAcks].sort(), retried: retryMessages.map(({ msgId }) => msgId) };
  }

  #watched(): Queue {
    const note = (body: unknown, delaySeconds = 0) => {
      const { agentId } = body as { agentId: string };
      this.asked.push({ agentId, delaySeconds });
    };
    const send = async (body: unknown, options?: QueueSendOptions) => note(body, options?.delaySeconds);
    const sendBatch = async (messages: Iterable<MessageSendRequest>) => {
      for (const { body, delaySeconds } of messages) note(body, delaySeconds);
    };
    return { send, sendBatch } as unknown as Queue;
  }
}

/** What a response refuses. */
export async function refusal(response: Response): Promise<Refused> {
  const { error } = await response.json<{ error: Omit<Refused, "status"> }>();
  return { status: response.status, ...error };
}
