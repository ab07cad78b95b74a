import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { agentCapabilities } from "../turn/capabilities.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";

const cell = z.object({
  action: z.string().openapi({
    description: "`use-tool`, `run-command`, `reach-host`, `call-server`, `persist`, `send-message`, `read-private`.",
  }),
  resource: z.string().openapi({ description: "The tool, or an example of what the action is done to." }),
  verdict: z.enum(["allow", "ask", "deny"]),
  rule: z.string().openapi({ description: "The field of the configuration that decides, or `default`." }),
});

const row = z
  .object({
    sender: z.enum(["owner", "other"]),
    place: z.string(),
    read: z.enum(["own", "stranger", "host"]).openapi({ description: "Whose words the turn has read." }),
    attended: z.boolean().openapi({ description: "False for heartbeats, jobs and hooks." }),
    cells: z.array(cell),
  })
  .openapi("Capability");

const secret = z.object({
  skill: z.string().openapi({ description: "The key in `skills.entries`." }),
  secrets: z.array(z.string()).openapi({ description: "Names, never values." }),
  sees: z.enum(["placeholder", "value"]).openapi({ description: "What commands see of them." }),
  hosts: z
    .array(z.string())
    .readonly()
    .optional()
    .openapi({ description: "Where the values may go; absent where an owner is asked at the first use." }),
});

const matrix = z.object({
  model: z.string().openapi({ description: "`provider/model` of the next run." }),
  egress: z.object({
    mode: z.string(),
    trusted: z.array(z.string()).readonly(),
    allowPrivate: z.array(z.string()).readonly(),
  }),
  search: z
    .union([
      z.object({ service: z.string(), variable: z.string().optional() }),
      z.object({ why: z.string(), fix: z.string() }),
    ])
    .openapi({ description: "Who searches the web, with the key of which variable; or why nobody does." }),
  media: z
    .array(
      z.union([
        z.object({ tool: z.string(), models: z.array(z.string()) }),
        z.object({ tool: z.string(), why: z.string(), fix: z.string() }),
      ]),
    )
    .openapi({ description: "The models behind each tool for media; or why there is no such tool." }),
  absent: z
    .array(z.object({ tool: z.string(), why: z.string() }))
    .openapi({ description: "Tools of OpenClaw that no turn has." }),
  secrets: z.array(secret),
  rows: z.array(row),
});

const route = createRoute({
  method: "get",
  path: "/agents/{id}/capabilities",
  summary: "What turns may do: by sender, place, and whose words they have read",
  description: "Every cell is the answer of the policy that enforces it.",
  request: { params: z.object({ id: z.string() }), query: z.strictObject({}) },
  responses: {
    200: { description: "The matrix", content: { "application/json": { schema: matrix } } },
  },
});

/** `/v1/agents/{id}/capabilities`. */
export const capabilityRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

capabilityRoutes.openapi(route, (c) => c.json(agentCapabilities(c.get("services"), c.req.valid("param").id), 200));
