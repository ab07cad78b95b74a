import { type Agent, agentIds, agentOf } from "../config/agents.ts";
import type { MemoryStatus } from "../memory/agent-memory.ts";
import { chooseEmbedders, type EmbedderSources, type Embedders } from "../memory/embed/choose-embedders.ts";
import { embedQuery } from "../memory/embed/embed-cached.ts";
import { type Embedder, EmbedError, type EmbedErrorKind } from "../memory/embed/embedder.ts";
import { VectorIndexError } from "../memory/vectors/vector-index.ts";
import { vectorizeDimensions } from "../memory/vectors/vectorize-index.ts";
import type { Services } from "../services/services.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsBindings, DiagnosticsContext } from "./diagnostics-context.ts";

/** Most agents whose memory is checked: each costs a few D1 statements. */
const MAX_AGENTS = 20;

/**
 * Checks that memory is indexed, which embedder each agent has, and that the embedder answers: it is sent two words,
 * because a key that is set may still be wrong.
 */
export async function examineMemory({ services, bindings }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined || !bindings.MEMORY) return [];
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
    ai: bindings.AI,
    host: services.host,
    fetch,
    now: Date.now,
    // No cooldowns: an embedder that is in cooldown is checked too.
    cooldowns: new Map(),
  };
  const choices = agents.map((agent) => ({ agent, choice: chooseEmbedders(agent.memorySearch, sources) }));
  const remote = choices.flatMap(({ choice: { primary } }) => (primary?.sees === "meaning" ? [primary] : []));
  const embedders = new Map(remote.map((embedder) => [embedder.space, embedder]));
  const found = await Promise.all([
    ...choices.map(({ agent, choice }) => examineChoice(agent, choice)),
    ...agents.map((agent) => examineAgent(services, agent)),
    ...[...embedders.values()].map(examineEmbedder),
    examineVectorize(bindings.VECTORS, services, [...embedders.values()]),
  ]);
  return found.flat();
}

async function examineAgent(services: Services, agent: Agent): Promise<Check[]> {
  const status = await services.memoryOf(agent).status();
  const { files, chunks, pending, comparedAt, failure } = status;
  const head = { id: `memory.${agent.id}`, area: "memory" } as const;
  const again = `Once that is fixed: POST /v1/agents/${agent.id}/memory/index.`;
  const kept =
    failure && `The memory of '${agent.id}' is behind since ${new Date(failure.at).toISOString()}: ${failure.message}`;
  const size = `The memory of '${agent.id}' has ${files} files in ${chunks} chunks`;
  const waiting = pending > 0 ? `, and ${pending} files are not indexed yet` : "";
  const known =
    comparedAt === null ? `The memory of '${agent.id}' is indexed with the first search.` : `${size}${waiting}.`;
  const whole: Check = kept
    ? { ...head, status: "warn", message: kept, fix: again }
    : { ...head, status: "ok", message: known };
  return [whole, ...examineVectors(agent, status), ...examineFiles(agent, status)];
}

/** Reports the embedder of an agent, with a warning where it is not the configured one. */
function examineChoice({ id, memorySearch }: Agent, { requested, primary, why }: Embedders): Check[] {
  const head = { id: `memory.${id}.embeddings`, area: "memory" } as const;
  const embeddings =
    primary === undefined ? "has no embeddings" : `has its embeddings from ${primary.id} (${primary.model})`;
  const message = `The memory of '${id}' ${embeddings}. ${why}`;
  const isMeant = requested === "auto" || requested === "none" || !memorySearch.store.vector.enabled;
  if (isMeant || requested === primary?.id) {
    return [{ ...head, status: "ok", message }];
  }
  const fix = "Add what the provider lacks, or set another memorySearch.provider.";
  return [{ ...head, status: "warn", message, fix, path: "agents.defaults.memorySearch.provider" }];
}

/** Warns of vectors that no store can search. */
function examineVectors({ id }: Agent, { vectors: { unavailable } }: MemoryStatus): Check[] {
  if (unavailable === undefined) return [];
  const message = `The memory of '${id}' is searched by words alone. ${unavailable.reason}`;
  return [{ id: `memory.${id}.vectors`, area: "memory", status: "warn", message, fix: unavailable.fix }];
}

/** Warns of files that cannot be searched, or only in part. */
function examineFiles({ id }: Agent, { warnings }: MemoryStatus): Check[] {
  const [first, ...others] = warnings;
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` ${others.length} more: GET /v1/agents/${id}/memory/status.`;
  const message = `The memory of '${id}' leaves out ${first.path}: ${first.message}${more}`;
  const fix = "Split it into smaller text files, or ignore this: all other files are found.";
  return [{ id: `memory.${id}.files`, area: "memory", status: "warn", message, fix }];
}

const FIXES: Record<EmbedErrorKind, string> = {
  auth: "Check the key and its account.",
  rate_limit: "Wait, or raise the account's limit; meanwhile searches use keywords.",
  timeout: "Check that the server is up and fast; meanwhile searches use keywords.",
  unavailable: "Check memorySearch.model, memorySearch.remote and the provider's status page.",
  rejected: "Check memorySearch.model and memorySearch.outputDimensionality.",
};

async function examineEmbedder(embedder: Embedder): Promise<Check[]> {
  const head = { id: `memory.embedder.${embedder.space}`, area: "memory" } as const;
  try {
    await embedQuery(embedder, "two words");
    return [{ ...head, status: "ok", message: `${embedder.id} makes embeddings (${embedder.model}).` }];
  } catch (error) {
    if (!(error instanceof EmbedError)) throw error;
    const message = `Texts cannot be embedded. ${error.message}`;
    return [{ ...head, status: "warn", message, fix: FIXES[error.kind], path: "agents.defaults.memorySearch" }];
  }
}

/** Checks that the vectors fit the Vectorize index, which exists only on Cloudflare. */
async function examineVectorize(
  index: DiagnosticsBindings["VECTORS"],
  services: Services,
  embedders: readonly Embedder[],
): Promise<Check[]> {
  if (!index || services.host === "workerd" || embedders.length === 0) return [];
  const head = { id: "memory.vectorize", area: "memory", path: "wrangler.toml" } as const;
  try {
    const dimensions = await vectorizeDimensions(index);
    const other = embedders.find((embedder) => embedder.dimensions !== dimensions);
    if (other === undefined)
      return [{ ...head, status: "ok", message: `Vectorize stores vectors of ${dimensions} dimensions.` }];
    const message = `The Vectorize index has ${dimensions} dimensions, and ${other.model} gives ${other.dimensions}: its vectors are stored in D1.`;
    const fix = `That works up to 10,000 chunks; for more, create an index of ${other.dimensions} dimensions with the metric cosine and bind it.`;
    return [{ ...head, status: "warn", message, fix }];
  } catch (error) {
    if (!(error instanceof VectorIndexError)) throw error;
    const fix = "Check that the index bound to VECTORS exists: wrangler vectorize list.";
    return [{ ...head, status: "warn", message: `Vectorize does not answer. ${error.message}`, fix }];
  }
}
