import type { MemoryPassage, MemoryStatus, SearchAnswer } from "../memory/agent-memory.ts";

/** What a search of an agent's memory answers. */
export type MemoryResults = SearchAnswer & { agent: string; query: string; tookMs: number };

export type { MemoryPassage, MemoryStatus };

/** Whether a value is what `POST /v1/agents/:id/memory/search` answers. */
export function isMemoryResults(value: unknown): value is MemoryResults {
  if (!isRecord(value) || typeof value.query !== "string" || !isRecord(value.index)) return false;
  return Array.isArray(value.results) && value.results.every((hit) => isRecord(hit) && isRecord(hit.reason));
}

/** Whether a value is what `GET /v1/agents/:id/memory/file` answers. */
export function isMemoryPassage(value: unknown): value is MemoryPassage {
  return isRecord(value) && typeof value.text === "string" && typeof value.totalLines === "number";
}

/** Whether a value says how a memory stands. */
export function isMemoryStatus(value: unknown): value is MemoryStatus {
  if (!isRecord(value) || typeof value.complete !== "boolean" || !Array.isArray(value.warnings)) return false;
  return isRecord(value.embedder) && isRecord(value.vectors) && Array.isArray(value.sources);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
