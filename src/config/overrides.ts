import { z } from "zod";

/** Overrides of one agent: the shared fields, all optional. */
export type Overrides<Shared> = Shared extends readonly unknown[]
  ? Shared
  : Shared extends object
    ? { [Key in keyof Shared]?: Overrides<Shared[Key]> | undefined }
    : Shared;

/** The schema of overrides: the fields of the shared schema with descriptions and bounds, but without defaults. */
export function overridesOf<Shape extends z.ZodRawShape>(
  shared: z.ZodObject<Shape>,
): z.ZodType<Overrides<z.output<z.ZodObject<Shape>>>> {
  return withoutDefaults(shared) as z.ZodType<Overrides<z.output<z.ZodObject<Shape>>>>;
}

function withoutDefaults(schema: z.core.$ZodType): z.ZodType {
  const meta = z.globalRegistry.get(schema);
  const bare = bareOf(schema);
  return meta === undefined ? bare : bare.meta(meta);
}

function bareOf(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return withoutDefaults(schema.unwrap());
  }
  if (!(schema instanceof z.ZodObject)) return schema as z.ZodType;
  const fields = Object.entries<z.core.$ZodType>(schema.shape);
  return z.strictObject(Object.fromEntries(fields.map(([name, field]) => [name, withoutDefaults(field).optional()])));
}

/** The settings of one agent: its overrides, field by field, over the shared ones. Lists are replaced whole. */
export function withOverrides<Shared extends object>(
  shared: Shared,
  own: Overrides<NoInfer<Shared>> | undefined,
): Shared {
  if (own === undefined) return shared;
  const merged = Object.fromEntries<unknown>(Object.entries(shared));
  for (const [name, value] of Object.entries(own)) {
    const below = merged[name];
    if (value !== undefined) merged[name] = isPlain(below) && isPlain(value) ? withOverrides(below, value) : value;
  }
  return merged as Shared;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
