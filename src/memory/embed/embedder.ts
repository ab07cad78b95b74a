/** Who makes embeddings. `none` is not among them: without an embedder there are words alone. */
export const EMBEDDER_IDS = ["workers-ai", "openai", "gemini", "voyage", "local"] as const;
export type EmbedderId = (typeof EMBEDDER_IDS)[number];

/** A text that is searched, or what somebody searches for: some models treat them differently. */
export type Purpose = "document" | "query";

/**
 * Makes vectors of texts.
 *
 * Every vector has length 1, so that their dot product is their cosine. The same text gives the same vector as far as the
 * provider does. A failure is an `EmbedError`, and nothing is half done: all texts have a vector, or it throws.
 */
export interface Embedder {
  readonly id: EmbedderId;
  readonly model: string;
  readonly dimensions: number;
  /** What vectors have to share to be compared: `provider/model/dimensions`. */
  readonly space: string;
  /**
   * `meaning`: a model that knows that "car" and "vehicle" are close. `letters`: a hash of words and their parts, which
   * tells the keyword leg little that it does not know.
   */
  readonly sees: "meaning" | "letters";
  /** Most texts of one call. */
  readonly maxBatch: number;
  /**
   * Vectors in the order of `texts`, `maxBatch` at most. A text that is too long for the model is cut.
   * @throws EmbedError
   */
  embed(texts: readonly string[], purpose: Purpose, signal: AbortSignal): Promise<Float32Array[]>;
}

/** `auth` wants a person; `rejected` will fail again with the same texts; the others pass. */
export type EmbedErrorKind = "auth" | "rate_limit" | "timeout" | "unavailable" | "rejected";

/** Why an embedder gave nothing. The message is a sentence that may be shown: it holds no key and no text. */
export class EmbedError extends Error {
  readonly kind: EmbedErrorKind;
  /** How long to leave the provider alone, in milliseconds, where it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: EmbedErrorKind, message: string, retryAfterMs?: number) {
    super(message);
    this.name = "EmbedError";
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
