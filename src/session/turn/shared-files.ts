import type { BootstrapCache } from "../../workspace/bootstrap.ts";

/** Most agents whose files are remembered at once; about 100 KB each. */
const MAX_AGENTS = 50;

const caches = new Map<string, BootstrapCache>();

/**
 * What was read of an agent's workspace, for all sessions that live in this isolate: a new session of an agent that
 * talks elsewhere already reads nothing. A file counts only under the etag that a turn's own listing shows.
 */
export function filesReadOf(agentId: string): BootstrapCache {
  const known = caches.get(agentId) ?? new Map();
  caches.delete(agentId);
  caches.set(agentId, known);
  const [oldest] = caches.keys();
  if (caches.size > MAX_AGENTS && oldest !== undefined) caches.delete(oldest);
  return known;
}
