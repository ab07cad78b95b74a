import { IsopodError } from "../lib/errors.ts";
import type { Model, ModelResolver } from "./model.ts";
import { type KeySources, profilesOf, profilesWithKey, providerIn } from "./profiles.ts";

/** One who may answer: a model, asked with one key. */
export interface Candidate {
  readonly model: Model;
  /** The profile whose key it is; absent for the provider's own. */
  readonly profile?: string;
}

/** What candidates are made from. */
export interface CandidateSources extends KeySources {
  resolver: ModelResolver;
  /** Told of each that is left out, by `provider/model` or profile, and why. */
  leftOut(name: string, why: string): void;
}

/** Most lists of references whose candidates are remembered. */
const MAX_REMEMBERED = 200;

/**
 * Gives who may answer, in order: each model with each key that there is for it. What cannot be asked is left out.
 * @param refs `provider/model`, the preferred one first
 * @throws IsopodError `not_configured` where nobody is left: what is wrong with the first
 */
export type FindCandidates = (refs: readonly string[]) => readonly Candidate[];

/** Finds candidates, for each list of references once, so that what is left out is told once. */
export function createCandidates(sources: CandidateSources): FindCandidates {
  const found = new Map<string, readonly Candidate[]>();
  return (refs) => {
    const key = refs.join("\n");
    const candidates = found.get(key) ?? find(refs, sources);
    if (found.size >= MAX_REMEMBERED) found.clear();
    found.set(key, candidates);
    return candidates;
  };
}

function find(refs: readonly string[], sources: CandidateSources): readonly Candidate[] {
  const found: Candidate[] = [];
  let fault: IsopodError | undefined;
  for (const ref of new Set(refs)) {
    try {
      found.push(...candidatesFor(ref, sources));
    } catch (error) {
      if (!(error instanceof IsopodError)) throw error;
      fault ??= error;
      sources.leftOut(ref, error.message);
    }
  }
  if (found.length === 0 && fault !== undefined) throw fault;
  return found;
}

function candidatesFor(ref: string, sources: CandidateSources): Candidate[] {
  const { resolver, auth, leftOut } = sources;
  const provider = providerIn(ref);
  const usable = profilesWithKey(provider, sources);
  for (const name of profilesOf(provider, auth)) {
    if (!usable.includes(name)) leftOut(name, `Set ${auth.profiles[name]?.apiKey.id}.`);
  }
  if (usable.length === 0) return [{ model: resolver.resolve(ref) }];
  return usable.map((profile) => ({ model: resolver.resolve(ref, profile), profile }));
}
