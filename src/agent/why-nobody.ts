import { head } from "../lib/text.ts";
import type { Candidate } from "../models/candidates.ts";
import type { ModelError } from "../models/message.ts";
import { type Cooldowns, restNames, type Standing, wakesAt } from "./failover.ts";

const MAX_CHARS = 2000;

/**
 * Why nobody answered: of each model what it said last or, where it was not asked, until when it rests. The only one
 * that there is speaks for itself.
 */
export function noModelAvailable({ candidates, failures, rests }: Standing): ModelError {
  const last = [...failures.values()].at(-1);
  if (last !== undefined && candidates.length === 1) return last;
  const reasons = new Map<string, string>();
  for (const candidate of candidates) {
    const { ref } = candidate.model;
    const error = failures.get(candidate);
    if (error !== undefined) reasons.set(ref, `${ref} failed (${words(error.kind)}): ${error.message}`);
    else if (wakesAt(candidate, rests) > 0 && !reasons.has(ref))
      reasons.set(ref, `${ref} ${resting(candidate, rests)}`);
  }
  const message = head(`No model can answer now. ${[...reasons.values()].join("; ")}`, MAX_CHARS);
  return { kind: last?.kind ?? kindOf(candidates, rests), message };
}

function resting(candidate: Candidate, rests: Cooldowns): string {
  const until = new Date(wakesAt(candidate, rests)).toISOString();
  return `rests until ${until.slice(0, 10)} ${until.slice(11, 16)} UTC (${words(kindOf([candidate], rests))})`;
}

/** Why the one that wakes first rests. */
function kindOf(candidates: readonly Candidate[], rests: Cooldowns): ModelError["kind"] {
  const known = candidates.flatMap(restNames).flatMap((name) => rests.get(name) ?? []);
  return known.toSorted((a, b) => b.until - a.until).at(0)?.kind ?? "other";
}

function words(kind: ModelError["kind"]): string {
  return kind.replace("_", " ");
}
