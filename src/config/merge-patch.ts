import { isJsonObject, type Json } from "../lib/json.ts";

/**
 * What a document becomes by a JSON merge patch (RFC 7396): objects are merged field by field, `null` takes a field
 * away, and anything else takes the place of what was there, lists as a whole. Neither of the two is changed.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  // By definition, not by assignment: a field `__proto__` is a field like any other.
  return Object.fromEntries(merged);
}
