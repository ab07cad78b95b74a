import { isJsonObject, type Json } from "../lib/json.ts";
import { nearestNames } from "../lib/nearest.ts";
import type { FieldStatus } from "./field-marks.ts";
import { fieldPath, parseFieldPath } from "./field-path.ts";
import {
  boundsOf,
  isOpenToAgent,
  isSecret,
  partsOf,
  type SchemaNode,
  statusOf,
  typeOf,
  valuesOf,
} from "./schema-node.ts";

/** One field of the configuration. */
export interface FieldView {
  path: string;
  /** Such as `string`, `list of string`, `record of object`. */
  type: string;
  description: string;
  default?: unknown;
  /** The only values that it may have. */
  enum?: unknown[];
  /** The bounds of its value, by their names in JSON Schema. */
  bounds?: Record<string, unknown>;
  /** The fields below it; `*` is every name of a record, or every entry of a list. */
  children?: ChildView[];
  /** Whether the agent may write it; what is below it has marks of its own. */
  agentMayWrite: boolean;
  /** Present on a secret, which is named by its variable. */
  secret?: true;
  /** Present on a field without effect: not yet, or not here. */
  status?: FieldStatus;
}

/** A part of a field. */
export interface ChildView {
  name: string;
  description: string;
  agentMayWrite?: true;
  status?: FieldStatus;
}

/** The field at a path, or the nearest known paths. */
export type FieldLookup = { kind: "field"; field: FieldView } | { kind: "unknown"; path: string; nearest: string[] };

/** A field that a document sets and that has no effect. */
export interface IdleField {
  path: string;
  status: FieldStatus;
}

/** Most suggestions for an unknown path. */
const MAX_NEAREST = 5;

/** Looks a field up: `agents.list[0].model`, `channels.telegram.accounts.*.dmPolicy`; no name is the whole document. */
export function lookUpField(schema: SchemaNode, path: string): FieldLookup {
  const steps = parseFieldPath(path);
  if (steps === undefined) return { kind: "unknown", path, nearest: [] };
  let node = schema;
  let status: FieldStatus | undefined;
  for (const [at, step] of steps.entries()) {
    const next = childNode(node, step);
    if (next === undefined) return { kind: "unknown", path, nearest: suggestions(schema, node, steps, at) };
    node = next;
    status ??= statusOf(node);
  }
  return { kind: "field", field: viewOf(node, path, status) };
}

/** The fields of a document that have no effect: not yet, or not here. */
export function idleFields(schema: SchemaNode, document: Json): IdleField[] {
  const walk = (node: SchemaNode, value: Json, path: readonly PropertyKey[], above?: FieldStatus): IdleField[] => {
    const status = above ?? statusOf(node);
    const entries: (readonly [string | number, Json])[] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(isJsonObject(value) ? value : {});
    const inner = entries.flatMap(([name, part]) => {
      const next = childNode(node, String(name));
      return next === undefined || isScalarList(node) ? [] : walk(next, part, [...path, name], status);
    });
    return inner.length > 0 || status === undefined ? inner : [{ path: fieldPath(path), status }];
  };
  return walk(schema, document, []);
}

/** The field under a name, else the entry that stands for all names. */
function childNode(node: SchemaNode, step: string): SchemaNode | undefined {
  const parts = new Map(partsOf(node));
  return parts.get(step) ?? (isList(node) && !/^(?:\d+|\*)$/.test(step) ? undefined : parts.get("*"));
}

function viewOf(node: SchemaNode, path: string, status: FieldStatus | undefined): FieldView {
  const children = isScalarList(node) ? [] : partsOf(node).map(([name, part]) => childOf(name, part));
  const values = valuesOf(node);
  const bounds = boundsOf(node);
  return {
    path,
    type: typeOf(node),
    description: node.description ?? "",
    ...(children.length === 0 && node.default !== undefined && { default: node.default }),
    ...(values.length > 0 && { enum: values }),
    ...(Object.keys(bounds).length > 0 && { bounds }),
    ...(children.length > 0 && { children }),
    agentMayWrite: isOpenToAgent(node),
    ...(isSecret(node) && { secret: true as const }),
    ...(status && { status }),
  };
}

function childOf(name: string, part: SchemaNode): ChildView {
  const status = statusOf(part);
  return {
    name,
    description: part.description ?? "",
    ...(isOpenToAgent(part) && { agentMayWrite: true as const }),
    ...(status && { status }),
  };
}

function isList(node: SchemaNode): boolean {
  return node.type === "array";
}

/** Whether a node is a list or record of scalars, whose entries need no listing. */
function isScalarList(node: SchemaNode): boolean {
  return partsOf(node).every(([name, part]) => name === "*" && partsOf(part).length === 0);
}

/**
 * Suggestions for an unknown path: similar names where it breaks off, `*` in place of a list entry's name, then fields
 * elsewhere with the same last name.
 */
function suggestions(schema: SchemaNode, node: SchemaNode, steps: readonly string[], at: number): string[] {
  const parentPath = steps.slice(0, at);
  const all = everyPath(schema, []).map(joinPath);
  const names = partsOf(node).map(([name]) => name);
  const near = nearestNames(steps[at] ?? "", names).map((name) => joinPath([...parentPath, name]));
  const anyEntry = joinPath([...parentPath, "*", ...steps.slice(at + 1)]);
  const elsewhere = all.filter((path) => path.endsWith(`.${steps.at(-1)}`));
  return [...new Set([...near, ...all.filter((path) => path === anyEntry), ...elsewhere])].slice(0, MAX_NEAREST);
}

function everyPath(node: SchemaNode, parentPath: readonly string[]): string[][] {
  return partsOf(node).flatMap(([name, part]) => [[...parentPath, name], ...everyPath(part, [...parentPath, name])]);
}

function joinPath(path: readonly string[]): string {
  return path.join(".");
}
