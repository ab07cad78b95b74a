import type { Agent } from "../../config/agents.ts";
import { EMBEDDER_IDS, type Embedder, type EmbedderId } from "../embed/embedder.ts";

type Settings = Agent["memorySearch"];

const SPACE = /^(?<provider>[^/]+)\/(?<model>.+)\/(?<dimensions>\d+)(?: at .+)?$/;

/**
 * Who made the vectors of a space, asked for as if it were configured; undefined where that would be another one now, or
 * nobody: its key is gone, its server is another.
 */
export function embedderOfSpace(
  space: string,
  settings: Settings,
  choose: (settings: Settings) => { primary: Embedder | undefined },
): Embedder | undefined {
  const { provider: id, model, dimensions } = SPACE.exec(space)?.groups ?? {};
  const provider = EMBEDDER_IDS.find((known) => known === id);
  if (provider === undefined || model === undefined) return undefined;
  // A key and a server are those of the provider that is configured, and another one is not to get them.
  const remote = isConfigured(provider, settings) ? settings.remote : { batch: settings.remote.batch, headers: {} };
  const outputDimensionality = Number(dimensions);
  const { primary } = choose({ ...settings, provider, model, outputDimensionality, remote, fallback: "none" });
  return primary?.space === space ? primary : undefined;
}

/** Whether that provider is configured: by its name, or by `auto`, which takes any server for one like OpenAI's. */
function isConfigured(provider: EmbedderId, { provider: configured, remote }: Settings): boolean {
  return provider === configured || (configured === "auto" && provider === "openai" && remote.baseUrl !== undefined);
}
