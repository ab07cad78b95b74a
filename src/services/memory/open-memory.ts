import type { Agent } from "../../config/agents.ts";
import { openReadSession } from "../../db/read-session.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { type AgentMemory, MemoryError, type MemoryStatus } from "../../memory/agent-memory.ts";
import type { DocumentStore } from "../../memory/document-store.ts";
import { chooseEmbedders, type Embedders, embedderForSpace } from "../../memory/embed/choose-embedders.ts";
import { memoryPlaces } from "../../memory/memory-paths.ts";
import { readMemory } from "../../memory/read-memory.ts";
import { searchMemory } from "../../memory/search/search-memory.ts";
import { fileStatus } from "../../memory/store/read-index.ts";
import type { SyncDeps } from "../../memory/sync/index-documents.ts";
import { workspaceDocuments } from "../../memory/sync/workspace-documents.ts";
import { removeVectors } from "../../memory/vectors/fill-vectors.ts";
import { openVectorSearch } from "../../memory/vectors/vector-search.ts";
import { type VectorStatus, vectorStatus } from "../../memory/vectors/vector-status.ts";
import type { VectorDeps } from "../../memory/vectors/vector-store.ts";
import { callByKey } from "../call-session.ts";
import { freshen } from "./freshen.ts";
import type { MemoryEnv, OpenMemoryDeps } from "./memory-deps.ts";
import { requestIndexingAfterListing } from "./request-indexing.ts";
import { transcriptDocuments } from "./transcript-documents.ts";
import { remembersTranscripts } from "./transcript-sources.ts";
import { updateIndex } from "./update-index.ts";

/** Opens the memory of an agent by its configuration. Cheap: nothing is read or called. */
export function openMemory(env: MemoryEnv, deps: OpenMemoryDeps): AgentMemory {
  const { agent, now, waitUntil, visibility } = deps;
  const { id: agentId, memorySearch: settings, contextLimits } = agent;
  if (!settings.enabled) return disabledMemory(agent);
  const embedders = embeddersOf(settings, env, deps);
  const stores = storesOf(env, deps);
  const vectors: VectorDeps = {
    database: env.MEMORY,
    agentId,
    settings,
    embedders,
    embedderForSpace: (space) => embedderForSpace(space, settings, (other) => embeddersOf(other, env, deps)),
    vectorize: env.VECTORS,
    host: deps.host,
    queryVectors: deps.parts.queryVectors,
    now,
  };
  const sync: SyncDeps = {
    database: env.MEMORY,
    agentId,
    settings,
    stores,
    removeVectors: (chunkIds) => removeVectors(vectors, chunkIds),
    now,
  };
  const limits = { lines: contextLimits.memoryGetDefaultLines, maxChars: contextLimits.memoryGetMaxChars };

  async function status(): Promise<MemoryStatus> {
    const [ofFiles, ofVectors] = await Promise.all([fileStatus(env.MEMORY, agentId, now()), vectorStatus(vectors)]);
    return statusOf(settings, embedders, ofFiles, ofVectors);
  }

  /**
   * Works on a replica of the index next to the caller, which has at least what this isolate has seen. Writes go to the
   * primary, and what comes after them sees them.
   */
  async function nearby<Result>(work: (database: D1Database) => Promise<Result>): Promise<Result> {
    const { seen } = deps.parts;
    const { database, bookmark } = openReadSession(env.MEMORY, seen.bookmark ?? "anywhere");
    const result = await work(database);
    // Bookmarks are made to be compared as texts.
    const newer = bookmark() ?? "";
    if (newer > (seen.bookmark ?? "")) seen.bookmark = newer;
    return result;
  }

  return {
    search: (request) =>
      answering(agentId, () =>
        nearby((database) =>
          searchMemory(
            {
              database,
              agentId,
              settings,
              now,
              zone: agent.defaults.userTimezone,
              freshen: (age) =>
                freshen({ agent, sync: { ...sync, database }, indexing: env.INDEXING, now, waitUntil }, age),
              vectorSearch: openVectorSearch({ ...vectors, database }),
              visibility: visibility,
            },
            request,
          ),
        ),
      ),
    read: (request) => readMemory({ stores, visibility: visibility, limits }, request),
    status: () => answering(agentId, status),
    index: (options) =>
      answering(agentId, async () => {
        const isDone = await updateIndex({ agentId, sync, vectors, indexing: env.INDEXING, now }, options);
        const stands = await status();
        return { ...stands, complete: isDone && stands.complete };
      }),
  };
}

/** The document stores of a memory. */
function storesOf(env: MemoryEnv, { agent, workspace, now, waitUntil }: OpenMemoryDeps): DocumentStore[] {
  const files = workspaceDocuments(workspace, agent.memorySearch);
  if (!remembersTranscripts(agent)) return [files];
  const transcripts = transcriptDocuments({
    agentId: agent.id,
    database: env.DB,
    memory: env.MEMORY,
    call: callByKey(env),
    goOn: () => waitUntil(requestIndexingAfterListing(env.INDEXING, agent.id, now())),
    now,
  });
  return [files, transcripts];
}

/** The embedders of memory settings. Cheap: nothing is called. */
export function embeddersOf(
  settings: Agent["memorySearch"],
  env: Pick<MemoryEnv, "AI">,
  deps: Pick<OpenMemoryDeps, "secret" | "host" | "parts" | "now">,
): Embedders {
  const { secret, host, parts, now } = deps;
  return chooseEmbedders(settings, { secret, ai: env.AI, host, fetch, now, cooldowns: parts.cooldowns });
}

function statusOf(
  settings: Agent["memorySearch"],
  { requested, primary, why }: Embedders,
  files: Awaited<ReturnType<typeof fileStatus>>,
  { vectors, failure, why: whyThere, isWhole }: VectorStatus,
): MemoryStatus {
  const { sources } = settings;
  const embedder = { requested, provider: primary?.id ?? null, model: primary?.model ?? null };
  const faults = memoryPlaces(settings).faults.map((message) => ({ path: "memorySearch.extraPaths", message }));
  return {
    enabled: true,
    sources,
    ...files,
    complete: files.comparedAt !== null && files.pending === 0 && isWhole,
    warnings: [...faults, ...files.warnings],
    embedder: { ...embedder, why: whyThere === null ? why : `${why} ${whyThere}` },
    vectors,
    failure: files.failure ?? failure,
  };
}

/** Converts errors of the index into errors that may be shown. @throws MemoryError */
async function answering<Answer>(agentId: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof MemoryError) throw thrown;
    log("error", "memory.failed", { agentId, error: messageOf(thrown) });
    throw new MemoryError("unavailable", "The index of this memory does not answer.", { cause: thrown });
  }
}

function disabledMemory({ id, memorySearch: { sources, provider } }: Agent): AgentMemory {
  const refused = async () => {
    throw new MemoryError("disabled", `The memory of agent '${id}' is switched off.`);
  };
  const why = "memorySearch.enabled is false.";
  return {
    search: refused,
    read: refused,
    index: refused,
    status: async () => ({
      enabled: false,
      sources,
      files: 0,
      chunks: 0,
      pending: 0,
      complete: true,
      busy: false,
      comparedAt: null,
      warnings: [],
      embedder: { requested: provider, provider: null, model: null, why },
      vectors: { store: null, ready: null, building: null },
      failure: null,
    }),
  };
}
