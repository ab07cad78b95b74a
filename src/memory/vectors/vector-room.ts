import type { Agent } from "../../config/agents.ts";
import type { Embedder } from "../embed/embedder.ts";
import type { PackCache } from "./pack-cache.ts";
import type { VectorizeBinding } from "./vectorize-binding.ts";

/** What the vectors of one agent's memory are kept with. */
export interface VectorRoom {
  database: D1Database;
  agentId: string;
  settings: Agent["memorySearch"];
  /** Who makes embeddings, as it is configured now. */
  embedders: { primary: Embedder | undefined; fallback: Embedder | undefined };
  /** Who made the vectors of a space of before (`Embedder.space`); undefined where that one can be asked no more. */
  embedderOf(space: string): Embedder | undefined;
  /** Where it is bound. */
  vectorize: VectorizeBinding | undefined;
  /** Vectorize answers on Cloudflare alone. */
  host: "cloudflare-workers" | "workerd";
  /** What this isolate knows of packs; one for all agents. */
  packs: PackCache;
  now(): number;
}
