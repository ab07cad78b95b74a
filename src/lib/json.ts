/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** JSON with sorted object keys: equal values give equal texts. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) => (isJsonObject(inner) ? sorted(inner) : inner));
}

/** Whether a value is an object and not an array. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
