import type { Agent } from "../../config/agents.ts";
import type { EmbedderRests } from "../../memory/embed/rest.ts";
import type { Sight } from "../../memory/search/search-room.ts";
import { PACK_CACHE_BYTES, PackCache } from "../../memory/vectors/pack-cache.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** The Worker's bindings that a memory stands on. */
export type MemoryEnv = Pick<Env, "DB" | "MEMORY" | "INDEXING" | "SESSIONS" | "VECTORS" | "AI">;

/** What an isolate remembers for all memories. */
export interface MemoryCaches {
  /** Who makes embeddings and is left alone for a while. */
  rests: EmbedderRests;
  packs: PackCache;
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
  sight?: Sight | undefined;
  now(): number;
  /** Keeps the caller alive for work that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

/** For an isolate that remembers nothing yet. */
export function newMemoryCaches(): MemoryCaches {
  return { rests: new Map(), packs: new PackCache(PACK_CACHE_BYTES) };
}
