import { z } from "zod";
import { fieldPath } from "./field-path.ts";
import type { FieldStatus } from "./planned.ts";

/** A field that a document sets and that does nothing, or nothing yet. */
export interface IdleField {
  path: string;
  status: FieldStatus;
}

/** The fields of a document that are accepted and do nothing: the schema says which. A part of which nothing works is one. */
export function idleFields(schema: z.ZodType, document: unknown): IdleField[] {
  return idleIn(schema, document, []);
}

function idleIn(schema: z.core.$ZodType, value: unknown, path: readonly (string | number)[]): IdleField[] {
  const status = statusOf(schema);
  if (status !== undefined) return [{ path: fieldPath(path), status }];
  const bare = unwrapped(schema);
  if (Array.isArray(value)) {
    const element = bare instanceof z.ZodArray ? bare.element : undefined;
    return element === undefined ? [] : value.flatMap((inner, at) => idleIn(element, inner, [...path, at]));
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const field = fieldOf(bare, key);
    return field === undefined ? [] : idleIn(field, inner, [...path, key]);
  });
}

function statusOf(schema: z.core.$ZodType): FieldStatus | undefined {
  const status = z.globalRegistry.get(schema)?.status;
  return status === "planned" || status === "unused" ? status : undefined;
}

/** What a field of a value is held against; of several forms the first that knows the field. */
function fieldOf(schema: z.core.$ZodType, key: string): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return new Map(Object.entries<z.core.$ZodType>(schema.shape)).get(key);
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (!(schema instanceof z.ZodUnion)) return undefined;
  return schema.options.map((option) => fieldOf(unwrapped(option), key)).find((field) => field !== undefined);
}

/** A schema without what only says that it may be absent, or reads it in another form first. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return unwrapped(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? unwrapped(schema.out) : schema;
}
