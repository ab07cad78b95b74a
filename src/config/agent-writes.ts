import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { fieldPath } from "./field-path.ts";
import { entryOf, fieldOf, isOpenToAgent, partsOf, type SchemaNode } from "./schema-node.ts";

/**
 * The fields in which two documents differ and which the agent may not write, as paths. It compares documents and not
 * patches, so that how a change is written does not matter. Only fields that the schema marks with `agentMayWrite` may
 * differ; a field that the schema does not have is refused like any other.
 */
export function changesRefusedToAgent(schema: SchemaNode, before: JsonObject, after: JsonObject): string[] {
  return refusedBelow(schema, withSoleAgent(before), withSoleAgent(after), []).map(fieldPath);
}

type Path = readonly (string | number)[];

function refusedBelow(
  node: SchemaNode | undefined,
  before: Json | undefined,
  after: Json | undefined,
  path: Path,
): Path[] {
  if (isPlain(before) && isPlain(after)) return isEqual(before, after) || isMarked(node) ? [] : [path];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((entry, at) => refusedBelow(node && entryOf(node), entry, after[at], [...path, at]));
  }
  if (isJsonObject(before) && isJsonObject(after)) return refusedFields(node, before, after, path);
  if (isJsonObject(after) && before === undefined) {
    const fields = refusedFields(node, {}, after, path);
    return fields.length > 0 || mayAppear(node) ? fields : [path];
  }
  const isFieldwise = isJsonObject(before) && after === undefined && mayAppear(node);
  return isFieldwise ? refusedFields(node, before, {}, path) : [path];
}

function refusedFields(node: SchemaNode | undefined, before: JsonObject, after: JsonObject, path: Path): Path[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const field = node && fieldOf(node, name);
    // To add or remove an entry of a record is a write of the record.
    const isEntry = field === undefined && old.has(name) !== now.has(name);
    if (isEntry && !isMarked(node)) return [[...path, name]];
    return refusedBelow(field ?? (node && entryOf(node)), old.get(name), now.get(name), [...path, name]);
  });
}

/** Whether an object may appear or go: the field is marked, or a field below it is and its absence means `{}`. */
function mayAppear(node: SchemaNode | undefined): boolean {
  const fallback = node?.default;
  const isEmptyObject = typeof fallback === "object" && fallback !== null && Object.keys(fallback).length === 0;
  return isMarked(node) || (isEmptyObject && hasOpenFields(node));
}

function hasOpenFields(node: SchemaNode | undefined): boolean {
  return node !== undefined && partsOf(node).some(([, part]) => isMarked(part) || hasOpenFields(part));
}

function isMarked(node: SchemaNode | undefined): boolean {
  return node !== undefined && isOpenToAgent(node);
}

/** Whether a value has no fields of its own: a scalar, a list of scalars, or nothing. */
function isPlain(value: Json | undefined): boolean {
  return Array.isArray(value) ? value.every((entry) => typeof entry !== "object") : !isJsonObject(value);
}

function isEqual(before: Json | undefined, after: Json | undefined): boolean {
  return (
    before === after || (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after))
  );
}

/** The document with the agent that it has where it lists none. */
function withSoleAgent(document: JsonObject): JsonObject {
  const { agents = {} } = document;
  if (!isJsonObject(agents)) return document;
  const { list = [] } = agents;
  return Array.isArray(list) && list.length === 0
    ? { ...document, agents: { ...agents, list: [{ id: "main" }] } }
    : document;
}
