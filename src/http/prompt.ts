import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { parseSessionKey } from "../config/session-key.ts";
import { callSession } from "../session/api.ts";
import { contextReport } from "../turn/preview/context-report.ts";
import { previewContext } from "../turn/preview/preview-context.ts";
import { previewPrompt } from "../turn/preview/preview-prompt.ts";
import { freshSkills } from "../turn/skills/session-skills.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { DATA_HEADERS } from "./file-response.ts";
import { contextReport as contextSchema, promptLook, runPrompt } from "./prompt-schema.ts";
import {
  isAlwaysThere,
  noSuchRun,
  requireSession,
  runAddress,
  sessionAddress,
  sessionParam,
} from "./session-lookup.ts";

const AS_JSON = "application/json";

const query = z.strictObject({
  channel: z.string().optional().openapi({ description: "A channel's id. Without it: the API, or the page." }),
  account: z.string().optional().openapi({ description: "One of its accounts." }),
  kind: z.enum(["direct", "group", "channel"]).optional().openapi({ description: "`direct` where nothing says so." }),
  sender: z.enum(["owner", "other"]).default("owner").openapi({ description: "The sender of the message." }),
  session: z.string().optional().openapi({
    description: "A session key. The session need not exist, and its own settings are ignored.",
  }),
  mode: z.enum(["full", "minimal", "none"]).optional().openapi({
    description: "Derived from the session key by default: `minimal` for sub-agents and jobs.",
  }),
  model: z.string().optional().openapi({ description: "`provider/model` or an alias; else the agent's own." }),
  thinking: z.enum(["off", "minimal", "low", "medium", "high"]).optional(),
});

const previewRoute = createRoute({
  method: "get",
  path: "/agents/{id}/prompt",
  summary: "Preview the system prompt of a turn",
  description:
    "Built by the code of a live turn, with the changes of plugins; no session is created or woken, and nothing is " +
    "written. `Accept: text/plain` or `text/markdown` answers the text alone.",
  request: { params: z.object({ id: z.string().openapi({ description: "The agent's id." }) }), query },
  responses: {
    200: { description: "The prompt", content: promptContent(promptLook) },
  },
});

const runRoute = createRoute({
  method: "get",
  path: "/runs/{id}/prompt",
  summary: "The system prompt and tools that a run sent to its model",
  description:
    "As sent, with the changes of plugins, plus the line of the cache boundary. 404 where the run called no model, " +
    "as most commands do not; 410 where the prompt was deleted. `Accept: text/plain` or `text/markdown` answers the " +
    "text alone.",
  request: {
    params: z.object({ id: z.string().openapi({ description: "The runId." }) }),
    query: z.strictObject({ hash: z.string().optional().openapi({ description: "One of `earlier`." }) }),
  },
  responses: { 200: { description: "The prompt", content: promptContent(runPrompt) } },
});

const contextRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/context",
  summary: "Report the size of a session's next model request",
  description: "The content of `/context detail`, for a turn like the session's last one. Nothing is written.",
  request: {
    params: sessionParam,
    query: z.strictObject({
      sender: z
        .enum(["owner", "other"])
        .optional()
        .openapi({ description: "The sender of the message; the last sender by default." }),
    }),
  },
  responses: { 200: { description: "The report", content: { "application/json": { schema: contextSchema } } } },
});

/** The prompts of models: `/v1/agents/:id/prompt`, `/v1/runs/:id/prompt`, `/v1/sessions/:key/context`. */
export const promptRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

promptRoutes.openapi(previewRoute, async (c) => {
  const { id } = c.req.valid("param");
  const preview = await previewPrompt(id, c.req.valid("query"), c.get("services"), Date.now());
  return plainPrompt(c, preview) ?? c.json(preview, 200);
});

promptRoutes.openapi(runRoute, async (c) => {
  const { id } = c.req.valid("param");
  const { hash } = c.req.valid("query");
  const prompt = await callSession(c.env, runAddress(id), async (session) => session.prompt(id, hash));
  if (prompt === undefined) throw noSuchRun(id);
  return plainPrompt(c, prompt) ?? c.json(prompt, 200);
});

promptRoutes.openapi(contextRoute, async (c) => {
  const { key } = c.req.valid("param");
  const { agentId } = parseSessionKey(key);
  const { sender } = c.req.valid("query");
  const services = c.get("services");
  const report = await callSession(c.env, await sessionAddress(c, key), async (session) => session.context(sender));
  if (report !== undefined || !isAlwaysThere(key, services.config)) return c.json(requireSession(report, key), 200);
  const turnContext = previewContext(agentId, { session: key, sender }, services);
  const deps = { agentId, services, extraTools: [], skills: freshSkills(services), messages: [], now: Date.now() };
  return c.json(await contextReport(turnContext, deps), 200);
});

/** The content of a route that answers a prompt as JSON, or as plain text where `Accept` prefers that. */
function promptContent<Schema>(schema: Schema) {
  const text = { schema: { type: "string" as const } };
  return { [AS_JSON]: { schema }, "text/plain": text, "text/markdown": text };
}

/** The prompt's text alone where `Accept` prefers that; undefined where JSON will do. */
function plainPrompt(c: Context, { text, hash }: { text: string; hash: string }): Response | undefined {
  const supports = [AS_JSON, "text/plain", "text/markdown"];
  const type = accepts(c, { header: "Accept", supports, default: AS_JSON });
  if (type === AS_JSON) return undefined;
  return new Response(text, {
    headers: { ...DATA_HEADERS, "Content-Type": `${type}; charset=utf-8`, ETag: `"${hash}"`, Vary: "Accept" },
  });
}
