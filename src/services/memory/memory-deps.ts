import type { Agent } from "../../config/agents.ts";
import type { Visibility } from "../../memory/agent-memory.ts";
import type { EmbedderCooldowns } from "../../memory/embed/cooldown.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** The Worker's bindings that a memory stands on. */
export type MemoryEnv = Pick<Env, "DB" | "MEMORY" | "INDEXING" | "SESSIONS" | "VECTORS" | "AI">;

/** What an isolate remembers for all memories. */
export interface MemoryCaches {
  /** Embedders that failed and are not called for a while. */
  cooldowns: EmbedderCooldowns;
  /** Vectors of the latest queries, by space and query. */
  queryVectors: Map<string, Float32Array>;
}

/** What a memory needs besides its bindings, and for whom it is opened. */
export interface OpenMemoryDeps {
  agent: Agent;
  /** The agent's. */
  workspace: Workspace;
  /** The value of a variable or secret of the Worker. */
  secret(name: string): string | undefined;
  host: "cloudflare-workers" | "workerd";
  parts: MemoryCaches;
  /** What whoever asks may see; all where it is absent. */
  visibility?: Visibility | undefined;
  now(): number;
  /** Keeps the caller alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** For an isolate that remembers nothing yet. */
export function newMemoryCaches(): MemoryCaches {
  return { cooldowns: new Map(), queryVectors: new Map() };
}
