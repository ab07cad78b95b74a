import type { Agent } from "../../config/agents.ts";
import { EMBEDDER_IDS, type Embedder } from "../embed/embedder.ts";

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
  const { provider: id, model } = SPACE.exec(space)?.groups ?? {};
  const provider = EMBEDDER_IDS.find((known) => known === id);
  if (provider === undefined || model === undefined) return undefined;
  const { primary } = choose({ ...settings, provider, model, fallback: "none" });
  return primary?.space === space ? primary : undefined;
}
