import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { fieldPath } from "./field-path.ts";

/** Where two documents differ, as the paths of the smallest parts that do: `agents.list[1].model`. Never a value. */
export function changedPaths(before: Json | undefined, after: Json | undefined): string[] {
  return differences(before, after, []).map(fieldPath);
}

/** What a document said and the one after it does not say so any more, as paths. Never a value. */
export function replacedPaths(before: Json, after: Json): string[] {
  return differences(before, after, [])
    .filter((path) => valueAt(before, path) !== undefined)
    .map(fieldPath);
}

function valueAt(document: Json, path: Path): Json | undefined {
  let value: Json | undefined = document;
  for (const name of path) {
    if (Array.isArray(value)) value = value[Number(name)];
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
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
