import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { agentOf } from "../config/agents.ts";
import { type ErrorCode, IsopodError } from "../lib/errors.ts";
import { type AgentMemory, MemoryError, type MemoryErrorCode } from "../memory/agent-memory.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { indexRoute, passageRoute, searchRoute, statusRoute } from "./memory-schema.ts";

/** How long a request to index works itself before the rest continues in the background. */
const INDEX_BUDGET_MS = 20_000;

/** `/v1/agents/{id}/memory`. */
export const memoryRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

memoryRoutes.openapi(searchRoute, async (c) => {
  const { id } = c.req.valid("param");
  const request = c.req.valid("json");
  const startedAt = Date.now();
  const answer = await withMemoryErrors(id, agentMemory(c, id).search(request));
  return c.json({ agent: id, query: request.query, ...answer, tookMs: Date.now() - startedAt }, 200);
});

memoryRoutes.openapi(passageRoute, async (c) => {
  const { id } = c.req.valid("param");
  return c.json(await withMemoryErrors(id, agentMemory(c, id).read(c.req.valid("query"))), 200);
});

memoryRoutes.openapi(indexRoute, async (c) => {
  const { id } = c.req.valid("param");
  const { force = false } = c.req.valid("json");
  const status = await withMemoryErrors(id, agentMemory(c, id).index({ force, budgetMs: INDEX_BUDGET_MS }));
  return c.json(status, status.complete ? 200 : 202);
});

memoryRoutes.openapi(statusRoute, async (c) => {
  const { id } = c.req.valid("param");
  return c.json(await withMemoryErrors(id, agentMemory(c, id).status()), 200);
});

/** @throws IsopodError `not_found` where there is no such agent */
function agentMemory(c: Context<AppEnv>, id: string): AgentMemory {
  const { config, memoryOf } = c.get("services");
  return memoryOf(agentOf(config, id));
}

const CODES: Record<MemoryErrorCode, ErrorCode> = {
  bad_path: "invalid_request",
  not_found: "not_found",
  not_text: "unsupported_media_type",
  unavailable: "unavailable",
  disabled: "conflict",
};

/** Turns a memory's error into one of HTTP, with a hint. @throws IsopodError */
export async function withMemoryErrors<Answer>(agentId: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (thrown) {
    if (!(thrown instanceof MemoryError)) throw thrown;
    throw new IsopodError(CODES[thrown.code], thrown.message, errorHint(thrown.code, agentId));
  }
}

function errorHint(code: MemoryErrorCode, agentId: string): string {
  switch (code) {
    case "bad_path":
      return "Name a path from a search result: MEMORY.md, one below memory/, or one of memorySearch.extraPaths.";
    case "not_found":
      return `GET /v1/agents/${agentId}/workspace?prefix=memory lists the files below memory/.`;
    case "not_text":
      return `GET /v1/agents/${agentId}/workspace/{path} gives the file as it is.`;
    case "unavailable":
      return "Try again in a moment.";
    case "disabled":
      return "Set memorySearch.enabled to true, for the agent or in agents.defaults.";
  }
}
