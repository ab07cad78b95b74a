import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { capabilities } from "../turn/capabilities.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";

const cell = z.object({
  action: z
    .string()
    .openapi({ description: "`use-tool`, `run-command`, `reach-host`, `persist`, `send-message`, `read-private`." }),
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

const route = createRoute({
  method: "get",
  path: "/agents/{id}/capabilities",
  summary: "What turns may do: by sender, place, and whose words they have read",
  description: "Every cell is the answer of the policy that enforces it.",
  request: { params: z.object({ id: z.string() }), query: z.strictObject({}) },
  responses: {
    200: { description: "The matrix", content: { "application/json": { schema: z.object({ rows: z.array(row) }) } } },
  },
});

/** `/v1/agents/{id}/capabilities`. */
export const capabilityRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

capabilityRoutes.openapi(route, (c) => c.json({ rows: capabilities(c.get("services"), c.req.valid("param").id) }, 200));
