import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { agentIds, agentOf, defaultAgentId, sharingAgents } from "../config/agents.ts";
import { workspacePrefix } from "../config/workspace-prefix.ts";
import { IsopodError } from "../lib/errors.ts";
import { isZone } from "../lib/zone.ts";
import { knownConfiguration } from "../services/current-config.ts";
import type { Services } from "../services/services.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";

const agent = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    default: z.boolean().openapi({ description: "Whether it is the default agent." }),
    model: z.string().openapi({ description: "Its model, as `provider/model`." }),
    workspace: z.string().openapi({ description: "The prefix of its files in R2.", example: "agents/main/workspace/" }),
    sharesWith: z.array(z.string()).openapi({ description: "Other agents with the same workspace." }),
  })
  .openapi("Agent");

const noQuery = z.strictObject({});

const listRoute = createRoute({
  method: "get",
  path: "/agents",
  summary: "List the configured agents",
  description: "Removing an agent from the configuration keeps its files, versions and sessions.",
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

const zoneRoute = createRoute({
  method: "put",
  path: "/agents/{id}/time-zone",
  summary: "Tell the time zone of the owner's browser",
  description:
    "It counts where the configuration names no `userTimezone`, and is remembered for the agent. Only the page tells it: " +
    "the zone of a token's or a webhook's origin says nothing about the owner.",
  request: {
    params: z.object({ id: z.string() }),
    query: noQuery,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({
            timeZone: z.string().max(64).refine(isZone, "is no time zone; use an IANA name such as Europe/Zurich"),
          }),
        },
      },
    },
  },
  responses: { 204: { description: "Noted" } },
});

/** `/v1/agents`; the routes below an agent have their own files. */
export const agentListRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

agentListRoutes.openapi(listRoute, (c) => {
  const services = c.get("services");
  return c.json({ agents: agentIds(services.config).map((id) => agentView(services, id)) }, 200);
});

agentListRoutes.openapi(readRoute, (c) => c.json(agentView(c.get("services"), c.req.valid("param").id), 200));

agentListRoutes.openapi(zoneRoute, async (c) => {
  const { id } = c.req.valid("param");
  agentOf(c.get("services").config, id);
  if (c.get("caller").via !== "page") {
    throw new IsopodError(
      "forbidden",
      "Only the page of a logged-in owner tells a time zone.",
      "Set agents.defaults.userTimezone.",
    );
  }
  const told = { agentId: id, zone: c.req.valid("json").timeZone, toldAt: Date.now() };
  await knownConfiguration(c.env.DB).tellZone(told);
  return c.body(null, 204);
});

/** @throws IsopodError `not_found` */
function agentView(services: Pick<Services, "config" | "modelRefOf">, id: string): z.output<typeof agent> {
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
