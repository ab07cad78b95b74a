import type { Agent } from "../../config/agents.ts";
import type { Visibility } from "../../memory/agent-memory.ts";
import type { EmbedderCooldowns } from "../../memory/embed/cooldown.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** The Worker's bindings for memory. */
export type MemoryEnv = Pick<Env, "DB" | "MEMORY" | "INDEXING" | "SESSIONS" | "ISOPOD_HOST" | "VECTORS" | "AI">;

/** The isolate's caches for all memories. */
export interface MemoryCaches {
  /** Embedders that failed and are not called for a while. */
  cooldowns: EmbedderCooldowns;
  /** Vectors of the latest queries, by space and query. */
  queryVectors: Map<string, Float32Array>;
  /** The newest state of the index that this isolate has seen or written, as a bookmark of D1. */
  seen: { bookmark: string | undefined };
}

/** Dependencies of a memory besides its bindings. */
export interface OpenMemoryDeps {
  agent: Agent;
  /** The agent's. */
  workspace: Workspace;
  /** The value of a variable or secret of the Worker. */
  secret(name: string): string | undefined;
  host: "cloudflare-workers" | "workerd";
  parts: MemoryCaches;
  /** The part of the memory that the caller may see; all of it if absent. */
  visibility?: Visibility | undefined;
  now(): number;
  /** Keeps the caller alive for work that is not awaited. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Empty caches. */
export function newMemoryCaches(): MemoryCaches {
  return { cooldowns: new Map(), queryVectors: new Map(), seen: { bookmark: undefined } };
}
