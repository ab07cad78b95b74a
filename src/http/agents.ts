import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { agentIds, agentOf, defaultAgentId, sharingAgents } from "../config/agents.ts";
import { workspacePrefix } from "../config/workspace-prefix.ts";
import type { Services } from "../services/services.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";

const agent = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    default: z.boolean().openapi({ description: "Whether it answers where no agent is named." }),
    model: z.string().openapi({ description: "`provider/model` that answers." }),
    workspace: z.string().openapi({ description: "Where its files are in R2.", example: "agents/main/workspace/" }),
    sharesWith: z.array(z.string()).openapi({ description: "Other agents with the same workspace." }),
  })
  .openapi("Agent");

const noQuery = z.strictObject({});

const listRoute = createRoute({
  method: "get",
  path: "/agents",
  summary: "The agents that are configured",
  description:
    "An agent that is taken out of the configuration leaves its files, versions and sessions where they are.",
  request: { query: noQuery },
  responses: {
    200: {
      description: "All, the default one first",
      content: { "application/json": { schema: z.object({ agents: z.array(agent) }) } },
    },
  },
});

const readRoute = createRoute({
  method: "get",
  path: "/agents/{id}",
  summary: "One agent",
  request: { params: z.object({ id: z.string().openapi({ description: "The agent's id." }) }), query: noQuery },
  responses: { 200: { description: "The agent", content: { "application/json": { schema: agent } } } },
});

/** `/v1/agents`, without what is below an agent. */
export const agentListRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

agentListRoutes.openapi(listRoute, (c) => {
  const services = c.get("services");
  return c.json({ agents: agentIds(services.config).map((id) => viewOf(services, id)) }, 200);
});

agentListRoutes.openapi(readRoute, (c) => c.json(viewOf(c.get("services"), c.req.valid("param").id), 200));

/** @throws IsopodError `not_found` */
function viewOf(services: Pick<Services, "config" | "modelRefOf">, id: string): z.output<typeof agent> {
  const { config } = services;
  const one = agentOf(config, id);
  return {
    id,
    ...(one.name !== undefined && { name: one.name }),
    default: id === defaultAgentId(config),
    model: services.modelRefOf(one),
    workspace: workspacePrefix(id, one.workspace),
    sharesWith: sharingAgents(config, id),
  };
}
