/** The embedders. `none` is not one: without an embedder only words are searched. */
export const EMBEDDER_IDS = ["workers-ai", "openai", "gemini", "voyage", "local"] as const;
export type EmbedderId = (typeof EMBEDDER_IDS)[number];

/** Whether a text is searched or is a query; some models treat them differently. */
export type Purpose = "document" | "query";

/** Makes vectors of texts. Every vector has length 1, so that the dot product of two is their cosine. */
export interface Embedder {
  readonly id: EmbedderId;
  readonly model: string;
  readonly dimensions: number;
  /** Vectors of the same space can be compared: `provider/model/dimensions`. */
  readonly space: string;
  /**
   * `meaning`: a model that knows that "car" and "vehicle" are close. `letters`: a hash of words and their parts, which
   * adds little to a search for words.
   */
  readonly sees: "meaning" | "letters";
  /** Maximum texts of one call. */
  readonly maxBatch: number;
  /**
   * Returns a vector for each text, in order. A text that is too long for the model is cut.
   * @param texts at most `maxBatch`
   * @throws EmbedError, and nothing else
   */
  embed(texts: readonly string[], purpose: Purpose, signal: AbortSignal): Promise<Float32Array[]>;
}

/** `auth` needs a person; `rejected` fails again with the same texts; the others are temporary. */
export type EmbedErrorKind = "auth" | "rate_limit" | "timeout" | "unavailable" | "rejected";

/** The error of an embedder. The message is a sentence for people, without keys and texts. */
export class EmbedError extends Error {
  readonly kind: EmbedErrorKind;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: EmbedErrorKind, message: string, retryAfterMs?: number) {
    super(message);
    this.name = "EmbedError";
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
