import JSON5 from "json5";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { fieldPath } from "./field-path.ts";

/** How deep a document may be nested: everything that walks through it may do so by recursion. */
const MAX_DEPTH = 64;

/**
 * Reads a document, JSON or JSON5; nothing at all means an empty one. Gives what JSON can say of it.
 * @throws IsopodError `invalid_request`
 */
export function parseConfig(text: string | undefined): Json {
  if (text === undefined || text.trim() === "") return {};
  const document = parseText(text);
  if (isDeeper(document, MAX_DEPTH)) {
    throw new IsopodError("invalid_request", `The configuration is nested deeper than ${MAX_DEPTH} levels.`);
  }
  return document;
}

/** JSON5 has everything that JSON has, but takes many times as long to read. */
function parseText(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return parseJson5(text);
  }
}

function parseJson5(text: string): Json {
  try {
    return JSON.parse(JSON.stringify(JSON5.parse(text)));
  } catch (error) {
    throw new IsopodError("invalid_request", `The configuration is not JSON5: ${messageOf(error)}`);
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (levels < 0) return true;
  if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, levels - 1));
  return isJsonObject(value) && Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

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

/** What a document says at a place; undefined where it says nothing. */
export function valueAt(document: Json | undefined, steps: readonly string[]): Json | undefined {
  return steps.reduce<Json | undefined>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, document);
}

/** Where two documents differ, as the paths of the smallest parts that do: `agents.list[1].model`. Never a value. */
export function changedPaths(before: Json | undefined, after: Json | undefined): string[] {
  return differences(before, after, []).map(fieldPath);
}

/** What a document said and the one after it does not say so any more, as paths. Never a value. */
export function replacedPaths(before: Json, after: Json): string[] {
  return differences(before, after, [])
    .filter((path) => valueAt(before, path.map(String)) !== undefined)
    .map(fieldPath);
}

type Path = readonly (string | number)[];

function differences(before: Json | undefined, after: Json | undefined, path: Path): Path[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, at) => differences(before[at], after[at], [...path, at])).flat();
  }
  if (isObjectOrNone(before) && isObjectOrNone(after)) {
    const [old, now] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after ?? {}))];
    const names = new Set([...old.keys(), ...now.keys()]);
    // An object that is new or gone is told by its fields, so that their paths are always the same.
    if (names.size > 0) return [...names].flatMap((name) => differences(old.get(name), now.get(name), [...path, name]));
  }
  if (isJsonObject(before) && isJsonObject(after)) return [];
  return before === after ? [] : [path];
}

function isObjectOrNone(value: Json | undefined): value is JsonObject | undefined {
  return value === undefined || isJsonObject(value);
}
