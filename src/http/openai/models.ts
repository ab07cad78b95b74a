import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { agentOf, defaultAgentId } from "../../config/agents.ts";
import type { CoreConfig } from "../../config/schema.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { AppEnv } from "../context.ts";
import { onOpenAiInvalid } from "./errors.ts";

/** Clients sort models by age. Agents have no date, so all have the same one. */
const CREATED = 1_767_225_600;
/**
 * The model id of an agent: `isopod/main`; OpenClaw's clients send `openclaw/main`, `openclaw:main` or `agent:main`.
 */
const MODEL_ID = /^(?:isopod|openclaw|agent)(?:[/:](.+))?$/;

const modelSchema = z
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
  summary: "OpenAI: list the agents as models",
  description: "`isopod/<agentId>` for every agent, and `isopod` for the default one.",
  responses: {
    200: {
      description: "All models",
      content: { "application/json": { schema: z.object({ object: z.literal("list"), data: z.array(modelSchema) }) } },
    },
  },
});

const showRoute = createRoute({
  method: "get",
  // A model's id has a slash, which clients may or may not escape.
  path: "/models/{model{.+}}",
  summary: "OpenAI: read an agent as a model",
  request: { params: z.object({ model: z.string() }) },
  responses: { 200: { description: "The model", content: { "application/json": { schema: modelSchema } } } },
});

/** `/v1/models`. */
export const openAiModelRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onOpenAiInvalid });

openAiModelRoutes.openapi(listRoute, (c) => {
  const { config } = c.get("services");
  const ids = [...new Set([defaultAgentId(config), ...config.agents.list.map(({ id }) => id)])];
  return c.json({ object: "list" as const, data: ["isopod", ...ids.map(modelId)].map(modelCard) }, 200);
});

openAiModelRoutes.openAPIRegistry.registerPath({ ...showRoute, path: "/models/{model}" });
openAiModelRoutes.openapi({ ...showRoute, hide: true }, (c) => {
  const { model: id } = c.req.valid("param");
  requestedAgent(id, c.get("services").config);
  return c.json(modelCard(id), 200);
});

/** The model id of an agent. */
export function modelId(agentId: string): string {
  return `isopod/${agentId}`;
}

/**
 * The agent of a model id; undefined for `isopod` alone, which means the default agent.
 * @throws IsopodError `not_found` where there is no such model
 */
export function requestedAgent(model: string, config: CoreConfig): string | undefined {
  const named = MODEL_ID.exec(model);
  const agentId = named?.[1];
  if (named !== null && (agentId === undefined || isKnown(agentId, config))) return agentId;
  throw new IsopodError(
    "not_found",
    `The model '${model.slice(0, 80)}' does not exist`,
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

function modelCard(id: string): z.infer<typeof modelSchema> {
  return { id, object: "model", created: CREATED, owned_by: "isopod" };
}
