import type { MemoryStatus, SearchAnswer } from "../../src/memory/agent-memory.ts";

/** Sends a request to a Worker, with the token. A body that is no text is sent as JSON. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Response>;

/** A search's answer over HTTP. */
export type TimedAnswer = SearchAnswer & { tookMs: number };

/** The routes of one agent's memory. Every verb throws where the answer is a refusal. */
export interface MemoryDoor {
  put(path: string, text: string): Promise<void>;
  /** Brings the index up to date, or begins to. */
  index(): Promise<void>;
  status(): Promise<MemoryStatus>;
  search(query: string, maxResults: number): Promise<TimedAnswer>;
}

/** Opens the memory of an agent. */
export function openDoor(send: Send, agentId: string): MemoryDoor {
  const root = `/v1/agents/${encodeURIComponent(agentId)}`;
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await send(method, root + path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${root}${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  };
  return {
    async put(path, text) {
      await ask("PUT", `/workspace/${path.split("/").map(encodeURIComponent).join("/")}`, text);
    },
    async index() {
      await ask("POST", "/memory/index", {});
    },
    status: () => ask("GET", "/memory/status") as Promise<MemoryStatus>,
    search: (query, maxResults) => ask("POST", "/memory/search", { query, maxResults }) as Promise<TimedAnswer>,
  };
}
