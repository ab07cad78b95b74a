import JSON5 from "json5";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { fieldPath } from "./field-path.ts";

/** Deepest nesting of a document, so that code may walk it by recursion. */
const MAX_DEPTH = 64;

/**
 * Parses a document, JSON or JSON5, into plain JSON; an empty text is an empty document.
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

/** JSON first: parsing it as JSON5 takes many times as long. */
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
 * Applies a JSON merge patch (RFC 7396): objects are merged field by field, `null` removes a field, and any other value
 * replaces the old one, lists as a whole. Neither argument is modified.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  // fromEntries defines fields and does not assign them, so that `__proto__` is a field like any other.
  return Object.fromEntries(merged);
}

/** The value at a path of a document; undefined where there is none. */
export function valueAt(document: Json | undefined, steps: readonly string[]): Json | undefined {
  return steps.reduce<Json | undefined>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, document);
}

/** The paths at which two documents differ, as deep as possible: `agents.list[1].model`. Contains no values. */
export function changedPaths(before: Json | undefined, after: Json | undefined): string[] {
  return differences(before, after, []).map(fieldPath);
}

/** The paths of values that a new document changes or removes. Contains no values. */
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
    // An added or removed object counts by its fields, so that their paths are always the same.
    if (names.size > 0) return [...names].flatMap((name) => differences(old.get(name), now.get(name), [...path, name]));
  }
  if (isJsonObject(before) && isJsonObject(after)) return [];
  return before === after ? [] : [path];
}

function isObjectOrNone(value: Json | undefined): value is JsonObject | undefined {
  return value === undefined || isJsonObject(value);
}
