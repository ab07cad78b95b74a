import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { agentOf, defaultAgentId } from "../../config/agents.ts";
import type { CoreConfig } from "../../config/schema.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { AppEnv } from "../context.ts";
import { onOpenAiInvalid } from "./errors.ts";

/** Clients sort models by age; agents have none, so all of them are as old as the first of them. */
const CREATED = 1_767_225_600;
/** An agent as a model: `isopod/main`; OpenClaw's clients say `openclaw/main`, `openclaw:main` or `agent:main`. */
const MODEL = /^(?:isopod|openclaw|agent)(?:[/:](.+))?$/;

const model = z
  .object({
    id: z.string().openapi({ example: "isopod/main" }),
    object: z.literal("model"),
    created: z.int().openapi({ description: "Seconds since the epoch; the same for all." }),
    owned_by: z.string(),
  })
  .openapi("Model");

const listRoute = createRoute({
  method: "get",
  path: "/models",
  summary: "OpenAI: the agents, as models",
  description: "`isopod/<agentId>` for every agent, and `isopod` for the default one.",
  responses: {
    200: {
      description: "All",
      content: { "application/json": { schema: z.object({ object: z.literal("list"), data: z.array(model) }) } },
    },
  },
});

const showRoute = createRoute({
  method: "get",
  // A model's id has a slash, which clients may or may not escape.
  path: "/models/{model{.+}}",
  summary: "OpenAI: an agent, as a model",
  request: { params: z.object({ model: z.string() }) },
  responses: { 200: { description: "It", content: { "application/json": { schema: model } } } },
});

/** `/v1/models`. */
export const openAiModelRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onOpenAiInvalid });

openAiModelRoutes.openapi(listRoute, (c) => {
  const { config } = c.get("services");
  const ids = [...new Set([defaultAgentId(config), ...config.agents.list.map(({ id }) => id)])];
  return c.json({ object: "list" as const, data: ["isopod", ...ids.map(modelOf)].map(card) }, 200);
});

openAiModelRoutes.openAPIRegistry.registerPath({ ...showRoute, path: "/models/{model}" });
openAiModelRoutes.openapi({ ...showRoute, hide: true }, (c) => {
  const { model: asked } = c.req.valid("param");
  agentAskedFor(asked, c.get("services").config);
  return c.json(card(asked), 200);
});

/** The model that stands for an agent. */
export function modelOf(agentId: string): string {
  return `isopod/${agentId}`;
}

/**
 * The agent that a model stands for; undefined where it only says Isopod, which leaves the choice to us.
 * @throws IsopodError `not_found` where there is no such model
 */
export function agentAskedFor(asked: string, config: CoreConfig): string | undefined {
  const named = MODEL.exec(asked);
  const agentId = named?.[1];
  if (named !== null && (agentId === undefined || isKnown(agentId, config))) return agentId;
  throw new IsopodError(
    "not_found",
    `The model '${asked.slice(0, 80)}' does not exist`,
    "Agents are models here: GET /v1/models lists them.",
    { param: "model", reason: "model_not_found" },
  );
}

function isKnown(agentId: string, config: CoreConfig): boolean {
  try {
    return agentOf(config, agentId).id === agentId;
  } catch (error) {
    if (error instanceof IsopodError) return false;
    throw error;
  }
}

function card(id: string): z.infer<typeof model> {
  return { id, object: "model", created: CREATED, owned_by: "isopod" };
}
