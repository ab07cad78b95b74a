import type { EmbedderId } from "./embedder.ts";

/** The properties of an embedding model. */
export interface KnownModel {
  dimensions: number;
  /** Whether a request chooses the number of dimensions. */
  isFlexible: boolean;
  /** Maximum tokens of a text. */
  maxTokens: number;
}

/** The same for all flexible models, so that one Vectorize index serves all providers. */
const DEFAULT_DIMENSIONS = 1024;

/** The default models. `local` has none. */
export const DEFAULT_MODELS: Record<Exclude<EmbedderId, "local">, string> = {
  "workers-ai": "@cf/baai/bge-m3",
  openai: "text-embedding-3-small",
  gemini: "gemini-embedding-001",
  voyage: "voyage-3.5",
};

/** Models by provider and name, specific names first. The models of `openai` run on many servers. */
const KNOWN: readonly (readonly [EmbedderId, RegExp, KnownModel])[] = [
  ["workers-ai", /bge-m3/, fixed(1024, 8192)],
  ["workers-ai", /bge-large/, fixed(1024, 512)],
  ["workers-ai", /bge-base/, fixed(768, 512)],
  ["workers-ai", /bge-small/, fixed(384, 512)],
  ["workers-ai", /qwen3-embedding-0\.6b/, fixed(1024, 4096)],
  ["workers-ai", /embeddinggemma/, fixed(768, 2048)],
  ["openai", /text-embedding-3/, flexible(8192)],
  ["openai", /text-embedding-ada-002/, fixed(1536, 8192)],
  ["openai", /nomic-embed-text/, fixed(768, 2048)],
  ["openai", /mxbai-embed-large/, fixed(1024, 512)],
  ["openai", /bge-m3/, fixed(1024, 8192)],
  ["openai", /bge-large/, fixed(1024, 512)],
  ["openai", /bge-base/, fixed(768, 512)],
  ["openai", /bge-small/, fixed(384, 512)],
  ["openai", /all-minilm/, fixed(384, 256)],
  ["openai", /embeddinggemma/, fixed(768, 2048)],
  ["openai", /qwen3-embedding.*0\.6b/, fixed(1024, 8192)],
  ["gemini", /gemini-embedding-001/, flexible(2048)],
  ["gemini", /gemini-embedding-2/, flexible(8192)],
  ["voyage", /voyage-(?:4|3\.5|3-large|code-3)/, flexible(32_000)],
  ["voyage", /voyage-3-lite/, fixed(512, 32_000)],
  ["voyage", /voyage-(?:3|multilingual-2|law-2|finance-2)/, fixed(1024, 16_000)],
];

/** The properties of a provider's model; undefined if unknown. */
export function knownModel(provider: EmbedderId, model: string): KnownModel | undefined {
  const name = model.toLowerCase();
  return KNOWN.find(([id, pattern]) => id === provider && pattern.test(name))?.[2];
}

function fixed(dimensions: number, maxTokens: number): KnownModel {
  return { dimensions, isFlexible: false, maxTokens };
}

function flexible(maxTokens: number): KnownModel {
  return { dimensions: DEFAULT_DIMENSIONS, isFlexible: true, maxTokens };
}
