import { type Failure, toModelError } from "../../models/error.ts";
import type { ModelError } from "../../models/message.ts";
import { EmbedError, type EmbedErrorKind } from "./embedder.ts";

/** What a failure of a model's provider is for one who wants embeddings, and how it is said. */
const MEANING: Record<ModelError["kind"], readonly [kind: EmbedErrorKind, sentence: string]> = {
  auth: ["auth", "does not take the key"],
  billing: ["auth", "gives no embeddings before it is paid"],
  rate_limit: ["rate_limit", "was asked too often, or for more than is allowed"],
  overloaded: ["unavailable", "is too busy"],
  timeout: ["unavailable", "failed"],
  overflow: ["rejected", "finds the text too long"],
  format: ["rejected", "does not take the request"],
  other: [
    "unavailable",
    "does not have what was asked for; look at memorySearch.model and memorySearch.remote.baseUrl",
  ],
};

/**
 * Says why a provider gave no embeddings. Its own sentence is left out, since it may repeat the key or the text; what it
 * calls the failure in one word is kept.
 * @param who the provider, as people know it
 */
export function embedFailure(who: string, failure: Failure): EmbedError {
  const { kind, retryAfterMs } = toModelError(failure);
  const [meaning, sentence] = MEANING[kind];
  const proof = [failure.status, codeIn(failure.body ?? failure.message)].filter((part) => part !== undefined);
  const message = `${who} ${sentence}${proof.length === 0 ? "" : ` (${proof.join(" ")})`}.`;
  return new EmbedError(meaning, message, retryAfterMs);
}

/** A code such as `model_not_found` or `RESOURCE_EXHAUSTED`: one short word in a field that is for one. */
function codeIn(body: string): string | undefined {
  const found = /"(?:code|type|status)"\s*:\s*"([A-Za-z][A-Za-z_]{2,47})"/.exec(body);
  return found?.[1];
}
