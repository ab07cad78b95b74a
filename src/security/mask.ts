import { createNeedleSearch, type NeedleMatch, type NeedleSearch } from "./needle-search.ts";
import { packed, secretForms } from "./secret-forms.ts";

/** Keeps secret values out of what is shown and stored. */
export interface Mask {
  /** Replaces every secret value in a text, in any of its common forms, by `[redacted:NAME]`. */
  mask(text: string): string;
  /** Whether a file's bytes contain a secret value in any of its common forms. */
  holds(bytes: Uint8Array): boolean;
}

/** Shortest value that is masked, in characters. Shorter values would match everywhere, and are refused as secrets. */
export const MIN_SECRET_CHARS = 6;

/**
 * Creates a mask for secret values. Its time grows with the text alone, not with the number of values.
 * @param values by the names that replace them
 */
export function createMask(values: Readonly<Record<string, string>>): Mask {
  const secrets = Object.entries(values).filter(([, value]) => value.trim().length >= MIN_SECRET_CHARS);
  if (secrets.length === 0) return { mask: (text) => text, holds: () => false };
  let searches: Searches | undefined;
  const found = (text: string) => {
    // Prepared on first use: most masks see no text.
    searches ??= prepare(secrets);
    return findIn(text, searches);
  };
  return {
    mask: (text) => replaced(text, found(text)),
    holds: (bytes) => !found(new TextDecoder().decode(bytes)).next().done,
  };
}

/** A match and the secret's name. */
interface SecretMatch {
  start: number;
  end: number;
  name: string;
}

interface Searches {
  /** All forms, searched in the text as it is. */
  whole: NeedleSearch;
  names: readonly string[];
  /** Forms that may be interrupted by space and quoting, searched in the packed text. */
  dense: NeedleSearch;
  denseNames: readonly string[];
}

function prepare(secrets: readonly (readonly [name: string, value: string])[]): Searches {
  const whole = new Map<string, string>();
  const dense = new Map<string, string>();
  for (const [name, value] of secrets) {
    const { plain, encoded } = secretForms(value);
    for (const form of [...plain, ...encoded]) if (!whole.has(form)) whole.set(form, name);
    for (const form of encoded) if (!dense.has(form)) dense.set(form, name);
  }
  return {
    whole: createNeedleSearch([...whole.keys()]),
    names: [...whole.values()],
    dense: createNeedleSearch([...dense.keys()]),
    denseNames: [...dense.values()],
  };
}

function* findIn(text: string, { whole, names, dense, denseNames }: Searches): Generator<SecretMatch, void> {
  for (const found of whole(text)) yield secretMatch(found, names);
  const letters = packed(text);
  const places = packedOffsets(letters, text);
  for (const { start, end, needle } of dense(letters)) {
    yield secretMatch({ start: places[start] ?? 0, end: (places[end - 1] ?? 0) + 1, needle }, denseNames);
  }
}

function secretMatch({ start, end, needle }: NeedleMatch, names: readonly string[]): SecretMatch {
  return { start, end, name: names[needle] ?? "" };
}

/** For each unit of the packed text its offset in the original. */
function packedOffsets(letters: string, text: string): Uint32Array {
  const places = new Uint32Array(letters.length);
  for (let at = 0, next = 0; next < letters.length; at++) {
    if (text.charCodeAt(at) === letters.charCodeAt(next)) places[next++] = at;
  }
  return places;
}

/** Replaces matches; overlapping ones count as one, named by the first. */
function replaced(text: string, pieces: Iterable<SecretMatch>): string {
  const sorted = [...pieces].sort((a, b) => a.start - b.start || b.end - a.end);
  let shown = "";
  let at = 0;
  for (const { start, end, name } of sorted) {
    if (start >= at) shown += `${text.slice(at, start)}[redacted:${name}]`;
    at = Math.max(at, end);
  }
  return shown + text.slice(at);
}
