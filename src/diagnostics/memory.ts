import { type Agent, agentIds, agentOf } from "../config/agents.ts";
import type { MemoryStatus } from "../memory/agent-memory.ts";
import { chooseEmbedders, type EmbedderSources, type Embedders } from "../memory/embed/choose-embedders.ts";
import { embedQuery } from "../memory/embed/embed-cached.ts";
import { type Embedder, EmbedError, type EmbedErrorKind } from "../memory/embed/embedder.ts";
import { VectorIndexError } from "../memory/vectors/vector-index.ts";
import { vectorizeDimensions } from "../memory/vectors/vectorize-index.ts";
import type { Services } from "../services/services.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Most agents whose memory is looked at: each costs a few statements of D1. */
const MAX_AGENTS = 20;

/**
 * Whether memory is indexed, who makes its embeddings, and whether they answer: a provider is sent two words, once for each
 * set of vectors, because a key that is there may still be the wrong one.
 */
export async function examineMemory({ services, env }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined || !env.MEMORY) return [];
  const agents = agentIds(services.config)
    .slice(0, MAX_AGENTS)
    .map((id) => agentOf(services.config, id))
    .filter(({ memorySearch }) => memorySearch.enabled);
  if (agents.length === 0) {
    const message = "No agent has a memory to search: memorySearch.enabled is false.";
    return [{ id: "memory.off", area: "memory", status: "ok", message }];
  }
  const sources: EmbedderSources = {
    secret: services.secret,
    ai: env.AI,
    host: services.host,
    fetch,
    now: Date.now,
    // Embedders in a cooldown are called too, because diagnostics have to find out whether they work again.
    cooldowns: new Map(),
  };
  const choices = agents.map((agent) => ({ agent, choice: chooseEmbedders(agent.memorySearch, sources) }));
  const remote = choices.flatMap(({ choice: { primary } }) => (primary?.sees === "meaning" ? [primary] : []));
  const embedders = new Map(remote.map((embedder) => [embedder.space, embedder]));
  const found = await Promise.all([
    ...choices.map(({ agent, choice }) => examineChoice(agent, choice)),
    ...agents.map((agent) => examineAgent(services, agent)),
    ...[...embedders.values()].map(examineEmbedder),
    examineVectorize(env, services, [...embedders.values()]),
  ]);
  return found.flat();
}

async function examineAgent(services: Services, agent: Agent): Promise<Check[]> {
  const status = await services.memoryOf(agent).status();
  const { files, chunks, pending, comparedAt, failure } = status;
  const head = { id: `memory.${agent.id}`, area: "memory" } as const;
  const again = `Once that is mended: POST /v1/agents/${agent.id}/memory/index.`;
  const kept =
    failure && `The memory of '${agent.id}' is behind since ${new Date(failure.at).toISOString()}: ${failure.message}`;
  const size = `The memory of '${agent.id}' has ${files} files in ${chunks} pieces`;
  const waiting = pending > 0 ? `, and ${pending} files wait to be indexed` : "";
  const known =
    comparedAt === null ? `The memory of '${agent.id}' is indexed with the first search.` : `${size}${waiting}.`;
  const whole: Check = kept
    ? { ...head, status: "warn", message: kept, fix: again }
    : { ...head, status: "ok", message: known };
  return [whole, ...examineVectors(agent, status), ...examineFiles(agent, status)];
}

/** Who makes the embeddings, and where that is another one than was wanted. */
function examineChoice({ id, memorySearch }: Agent, { requested, primary, why }: Embedders): Check[] {
  const head = { id: `memory.${id}.embeddings`, area: "memory" } as const;
  const who = primary === undefined ? "has no embeddings" : `has its embeddings from ${primary.id} (${primary.model})`;
  const message = `The memory of '${id}' ${who}. ${why}`;
  const isMeant = requested === "auto" || requested === "none" || !memorySearch.store.vector.enabled;
  if (isMeant || requested === primary?.id) {
    return [{ ...head, status: "ok", message }];
  }
  const fix = "Give it what it lacks, or set memorySearch.provider to another one.";
  return [{ ...head, status: "warn", message, fix, path: "agents.defaults.memorySearch.provider" }];
}

/** Vectors that no store can search. */
function examineVectors({ id }: Agent, { vectors: { unavailable } }: MemoryStatus): Check[] {
  if (unavailable === undefined) return [];
  const message = `The memory of '${id}' is searched by words alone. ${unavailable.reason}`;
  return [{ id: `memory.${id}.vectors`, area: "memory", status: "warn", message, fix: unavailable.fix }];
}

/** Files that cannot be searched, or not whole. */
function examineFiles({ id }: Agent, { warnings }: MemoryStatus): Check[] {
  const [first, ...others] = warnings;
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` ${others.length} more: GET /v1/agents/${id}/memory/status.`;
  const message = `The memory of '${id}' leaves something out: ${first.path}: ${first.message}${more}`;
  const fix = "Write it as text in smaller files, or leave it where it is: nothing else is kept from being found.";
  return [{ id: `memory.${id}.files`, area: "memory", status: "warn", message, fix }];
}

const FIXES: Record<EmbedErrorKind, string> = {
  auth: "Look at the key, and at the account that it is of.",
  rate_limit: "Wait, or raise what the account may use; searches find words meanwhile.",
  timeout: "Look whether the server is well and near; searches find words meanwhile.",
  unavailable: "Look at memorySearch.model and memorySearch.remote, and at the provider's own status.",
  rejected: "Look at memorySearch.model and memorySearch.outputDimensionality.",
};

async function examineEmbedder(embedder: Embedder): Promise<Check[]> {
  const head = { id: `memory.embedder.${embedder.space}`, area: "memory" } as const;
  try {
    await embedQuery(embedder, "two words");
    return [{ ...head, status: "ok", message: `${embedder.id} makes embeddings (${embedder.model}).` }];
  } catch (error) {
    if (!(error instanceof EmbedError)) throw error;
    const message = `There are no new embeddings. ${error.message}`;
    return [{ ...head, status: "warn", message, fix: FIXES[error.kind], path: "agents.defaults.memorySearch" }];
  }
}

/** Whether the vectors fit into the index of Vectorize. It answers on Cloudflare alone. */
async function examineVectorize(env: Env, services: Services, embedders: readonly Embedder[]): Promise<Check[]> {
  if (!env.VECTORS || services.host === "workerd" || embedders.length === 0) return [];
  const head = { id: "memory.vectorize", area: "memory", path: "wrangler.toml" } as const;
  try {
    const dimensions = await vectorizeDimensions(env.VECTORS);
    const other = embedders.find((embedder) => embedder.dimensions !== dimensions);
    if (other === undefined)
      return [{ ...head, status: "ok", message: `Vectorize keeps vectors of ${dimensions} dimensions.` }];
    const message = `The Vectorize index has ${dimensions} dimensions, and ${other.model} gives ${other.dimensions}: its vectors are kept in D1.`;
    const fix = `That works up to 10,000 chunks; for more, create an index of ${other.dimensions} dimensions with the metric cosine, and bind it.`;
    return [{ ...head, status: "warn", message, fix }];
  } catch (error) {
    if (!(error instanceof VectorIndexError)) throw error;
    const fix = "Look whether the index that VECTORS is bound to is there: wrangler vectorize list.";
    return [{ ...head, status: "warn", message: `Vectorize does not answer. ${error.message}`, fix }];
  }
}
