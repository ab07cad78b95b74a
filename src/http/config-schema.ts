import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { lookUpField } from "../config/schema-lookup.ts";
import { jsonSchemaOf } from "../config/schema-node.ts";
import { IsopodError } from "../lib/errors.ts";
import { wholeSchema } from "../services/config-schema.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";

const status = z.enum(["planned", "unused"]).optional().openapi({
  description: "Present where it is accepted and does nothing: not yet, or not here.",
});

const field = z
  .object({
    path: z.string().openapi({ example: "session.reset.atHour" }),
    type: z.string().openapi({ example: "integer" }),
    description: z.string(),
    default: z.unknown().optional(),
    enum: z.array(z.unknown()).optional().openapi({ description: "The only values that it may have." }),
    bounds: z.record(z.string(), z.unknown()).optional().openapi({ description: "By their names in JSON Schema." }),
    children: z
      .array(z.object({ name: z.string(), description: z.string(), agentMayWrite: z.literal(true).optional(), status }))
      .optional()
      .openapi({ description: "What is below it; `*` is every name, or every entry of a list." }),
    agentMayWrite: z.boolean().openapi({ description: "Whether the agent may write it with the gateway tool." }),
    secret: z.literal(true).optional().openapi({ description: "Present on a secret: it is named by its variable." }),
    status,
  })
  .openapi("ConfigField");

const schemaRoute = createRoute({
  method: "get",
  path: "/config/schema",
  summary: "What the configuration may say",
  description: "With `path` one field; without it the JSON Schema of all of it, for editors.",
  request: {
    query: z.strictObject({
      path: z.string().max(500).optional().openapi({ example: "channels.telegram.accounts.*.dmPolicy" }),
    }),
  },
  responses: {
    200: {
      description: "The field, or the schema",
      content: { "application/json": { schema: z.union([field, z.record(z.string(), z.unknown())]) } },
    },
  },
});

/** `GET /v1/config/schema`. */
export const configSchemaRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

configSchemaRoutes.openapi(schemaRoute, (c) => {
  const { path } = c.req.valid("query");
  const schema = jsonSchemaOf(wholeSchema);
  if (path === undefined) return c.json({ ...schema }, 200);
  const found = lookUpField(schema, path);
  if (found.kind === "field") return c.json({ ...found.field }, 200);
  const near = found.nearest.length === 0 ? "Look its parent up." : `Did you mean: ${found.nearest.join(", ")}?`;
  throw new IsopodError("not_found", `There is no field '${path}' in the configuration.`, near);
});
