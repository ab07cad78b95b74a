import { z } from "zod";
import type { JsonObject } from "../lib/json.ts";
import type { ToolSchema } from "../models/model.ts";
import type { AnyTool } from "./tool.ts";

const schemas = new WeakMap<AnyTool["parameters"], JsonObject>();

/** A tool as a model sees it. Its JSON Schema (draft 2020-12, without `$schema`) is made once for each zod schema. */
export function toolSchema(tool: AnyTool): ToolSchema {
  let parameters = schemas.get(tool.parameters);
  if (parameters === undefined) {
    parameters = jsonSchemaOf(tool.parameters);
    schemas.set(tool.parameters, parameters);
  }
  return { name: tool.name, description: tool.description, parameters };
}

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return JSON.parse(JSON.stringify(rest));
}
