import type { Agent } from "../../config/agents.ts";
import { type AgentMemory, MemoryError, type MemoryStatus } from "../../memory/agent-memory.ts";

/** The Worker's bindings that a memory stands on. */
export type MemoryEnv = Pick<Env, "MEMORY" | "INDEXING">;

/** What a memory needs besides its bindings, and for whom it is opened. */
export interface MemoryRoom {
  agent: Agent;
  now(): number;
  /** Keeps the caller alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Opens the memory of an agent, the way its configuration says. Cheap, and asks nothing of anybody. */
export function openMemory(_env: MemoryEnv, { agent }: MemoryRoom): AgentMemory {
  const { memorySearch } = agent;
  const none: MemoryStatus = {
    enabled: memorySearch.enabled,
    sources: memorySearch.sources,
    files: 0,
    chunks: 0,
    pending: 0,
    complete: true,
    busy: false,
    comparedAt: null,
    warnings: [],
    embedder: { requested: memorySearch.provider, provider: null, model: null, why: "Nothing is indexed yet." },
    vectors: { store: null, ready: null, building: null },
    failure: null,
  };
  return {
    search: async () => ({ results: [], mode: "keywords", index: { files: 0, chunks: 0, pending: 0 } }),
    read: async ({ path }) => {
      throw new MemoryError("not_found", `There is no file '${path}' in this memory.`);
    },
    status: async () => none,
    index: async () => none,
    changed: async () => {},
  };
}
