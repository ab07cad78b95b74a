import { z } from "zod";
import type { FieldStatus } from "./field-marks.ts";

/** A part of the configuration's schema as JSON Schema (draft 2020-12), of documents as they are given. */
export type SchemaNode = z.core.JSONSchema.BaseSchema;

const made = new WeakMap<z.ZodType, SchemaNode>();

/** The JSON Schema of a zod schema; made once. */
export function jsonSchemaOf(schema: z.ZodType): SchemaNode {
  const node = made.get(schema) ?? z.toJSONSchema(schema, { io: "input" });
  made.set(schema, node);
  return node;
}

/** The forms that a value may have. */
export function formsOf(node: SchemaNode): SchemaNode[] {
  const forms = (node.anyOf ?? []).filter(isNode).flatMap(formsOf);
  return forms.length > 0 ? forms : [node];
}

/** What a value consists of, in any of its forms; `*` is every entry of a list, and every name of a record. */
export function partsOf(node: SchemaNode): [name: string, part: SchemaNode][] {
  const parts = formsOf(node).flatMap((form) => [
    ...Object.entries(form.properties ?? {}),
    ...[form.items, form.additionalProperties].flatMap((entry) => (isEntry(entry) ? [["*", entry] as const] : [])),
  ]);
  return parts.flatMap(([name, part]) => (isNode(part) ? [[name, part]] : []));
}

/** The field of an object by name; undefined if it has none. Of several forms the most closed one counts. */
export function fieldOf(node: SchemaNode, name: string): SchemaNode | undefined {
  const found = formsOf(node).flatMap(({ properties = {} }) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return typeof field === "object" ? [field] : [];
  });
  return found.find((field) => !isOpenToAgent(field)) ?? found[0];
}

/** What every entry of a list or record is; undefined where it is neither. */
export function entryOf(node: SchemaNode): SchemaNode | undefined {
  return formsOf(node)
    .flatMap(({ items, additionalProperties }) => [items, additionalProperties])
    .find(isEntry);
}

/** Whether a field is a secret, named by its variable. */
export function isSecret(node: SchemaNode): boolean {
  return node.secret === true;
}

/** Whether the schema lets the agent write this field; what is above or below it has marks of its own. */
export function isOpenToAgent(node: SchemaNode): boolean {
  return node.agentMayWrite === true;
}

/** The kind of a value, such as `integer`, `list of string`, `record of object`, or several with `or` between them. */
export function typeOf(node: SchemaNode): string {
  return [...new Set(formsOf(node).map(typeOfForm))].join(" or ");
}

/** The only values that there are; empty where there are others. */
export function valuesOf(node: SchemaNode): unknown[] {
  return formsOf(node).flatMap((form) => form.enum ?? (form.const === undefined ? [] : [form.const]));
}

/** The bounds of a value by their names in JSON Schema. */
export function boundsOf(node: SchemaNode): Record<string, unknown> {
  const given = formsOf(node).flatMap((form) => BOUNDS.map((name) => [name, form[name]] as const));
  // Zod gives every integer the range of safe integers; that is no bound of the field.
  const isOwn = (bound: unknown) => bound !== undefined && Math.abs(Number(bound)) !== Number.MAX_SAFE_INTEGER;
  return Object.fromEntries(given.filter(([, bound]) => isOwn(bound)));
}

/** The mark of a field that does nothing; undefined for a field in use. */
export function statusOf(node: SchemaNode): FieldStatus | undefined {
  return node.status === "planned" || node.status === "unused" ? node.status : undefined;
}

const BOUNDS = [
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "pattern",
  "format",
] as const;

function typeOfForm(form: SchemaNode): string {
  if (form.type === "array") return isEntry(form.items) ? `list of ${typeOf(form.items)}` : "list";
  if (isEntry(form.additionalProperties)) return `record of ${typeOf(form.additionalProperties)}`;
  return [form.type ?? (form.const === undefined ? "anything" : typeof form.const)].flat().join(" or ");
}

function isEntry(entry: SchemaNode["items"] | SchemaNode["additionalProperties"]): entry is SchemaNode {
  return typeof entry === "object" && !Array.isArray(entry);
}

function isNode(node: SchemaNode | boolean): node is SchemaNode {
  return typeof node === "object";
}
