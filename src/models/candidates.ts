import { IsopodError } from "../lib/errors.ts";
import type { Model, ModelResolver } from "./model.ts";
import { type KeySources, profilesWithKey, providerIn, providerProfiles } from "./profiles.ts";

/** A model with the key to ask it with. */
export interface Candidate {
  readonly model: Model;
  /** The profile of the key; absent for the provider's own key. */
  readonly profile?: string;
}

/** What candidates are made from. */
export interface CandidateSources extends KeySources {
  resolver: ModelResolver;
  /** Called with each model (`provider/model`) or profile that cannot be used, and the reason. */
  leftOut(name: string, why: string): void;
}

/** The most lists of references that are cached. */
const MAX_REMEMBERED = 200;

/**
 * Returns the candidates in order: each model with each of its keys. Models that cannot be asked are left out.
 * @param refs `provider/model`, the preferred one first
 * @throws IsopodError `not_configured` if none is left: the error of the first
 */
export type FindCandidates = (refs: readonly string[]) => readonly Candidate[];

/** Finds candidates once for each list of references, so that each omission is reported once. */
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
  for (const name of providerProfiles(provider, auth)) {
    if (!usable.includes(name)) leftOut(name, `Set ${auth.profiles[name]?.apiKey.id}.`);
  }
  if (usable.length === 0) return [{ model: resolver.resolve(ref) }];
  return usable.map((profile) => ({ model: resolver.resolve(ref, profile), profile }));
}
