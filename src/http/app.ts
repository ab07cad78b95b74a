import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { VERSION } from "../lib/version.ts";
import { agentListRoutes } from "./agents.ts";
import { approvalRoutes } from "./approvals.ts";
import { auditRoutes } from "./audit.ts";
import { createBaseApp } from "./base-app.ts";
import { bootstrapFileRoutes } from "./bootstrap-files.ts";
import { budgetRoutes } from "./budgets.ts";
import { capabilityRoutes } from "./capabilities.ts";
import { channelAccountRoutes } from "./channel-accounts.ts";
import { configRoutes } from "./config.ts";
import { configImportRoutes } from "./config-import.ts";
import { configSchemaRoutes } from "./config-schema.ts";
import type { AppEnv } from "./context.ts";
import { docsRoutes } from "./docs.ts";
import { doctorRoutes } from "./doctor.ts";
import { errorBody } from "./errors.ts";
import { fileRoutes } from "./files.ts";
import { grantRoutes } from "./grants.ts";
import { hookRoutes } from "./hooks.ts";
import { jobRoutes } from "./jobs.ts";
import { callerRoutes, loginRoutes } from "./login.ts";
import { mcpRoutes } from "./mcp.ts";
import { mcpSignInRoutes } from "./mcp-sign-in.ts";
import { memoryRoutes } from "./memory.ts";
import { openWorkspace } from "./open-workspace.ts";
import { openAiEmbeddingRoutes } from "./openai/embeddings.ts";
import { speaksOpenAi } from "./openai/errors.ts";
import { openAiModelRoutes } from "./openai/models.ts";
import { pairingRoutes } from "./pairings.ts";
import { pluginRoutes } from "./plugins.ts";
import { promptRoutes } from "./prompt.ts";
import { scheduleRoutes } from "./schedule.ts";
import { skillInstallRoutes } from "./skill-installs.ts";
import { skillRoutes } from "./skills.ts";
import { tokenRoutes } from "./tokens.ts";
import { TURN_ROUTES } from "./turn-app.ts";
import { webchatRoutes } from "./webchat.ts";
import { workspaceRoutes } from "./workspace.ts";

/** All HTTP routes of the Worker. */
export function createApp(): OpenAPIHono<AppEnv> {
  const health = new OpenAPIHono<AppEnv>();
  health.openapi(healthRoute, (c) => c.json({ ok: true, version: VERSION }, 200));
  health.get("/openapi.json", (c) => c.json(withErrorResponses(app.getOpenAPI31Document(DOCUMENT))));
  const app = createBaseApp({
    open: [
      ["/", health],
      ["/", docsRoutes],
      ["/v1", loginRoutes],
    ],
    // They correct a configuration that is not valid.
    unconfigured: [
      ["/v1", configRoutes],
      ["/v1", configSchemaRoutes],
      ["/v1", configImportRoutes],
      ["/v1", doctorRoutes],
    ],
    configured: [
      ...TURN_ROUTES,
      ["/", hookRoutes],
      ["/", fileRoutes],
      ["/", mcpRoutes],
      ["/", mcpSignInRoutes],
      ["/", webchatRoutes],
      ["/v1", callerRoutes],
      ["/v1", agentListRoutes],
      ["/v1", capabilityRoutes],
      ["/v1", bootstrapFileRoutes],
      ["/v1", skillRoutes],
      ["/v1", memoryRoutes],
      ["/v1", approvalRoutes],
      ["/v1", grantRoutes],
      ["/v1", jobRoutes],
      ["/v1", scheduleRoutes],
      ["/v1", budgetRoutes],
      ["/v1", pairingRoutes],
      ["/v1", channelAccountRoutes],
      ["/v1", tokenRoutes],
      ["/v1", auditRoutes],
      ["/v1", pluginRoutes],
      ["/v1", promptRoutes],
      ["/v1", skillInstallRoutes],
      ["/v1", openAiModelRoutes],
      ["/v1", openAiEmbeddingRoutes],
      ["/v1", workspaceRoutes<AppEnv>(async (c, agentId) => openWorkspace(c.get("services"), agentId, c.env))],
    ],
  });
  app.openAPIRegistry.register("Error", errorBody);
  app.openAPIRegistry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  return app;
}

const healthRoute = createRoute({
  method: "get",
  path: "/healthz",
  summary: "Whether the Worker is up",
  security: [],
  responses: {
    200: {
      description: "It is",
      content: { "application/json": { schema: z.object({ ok: z.boolean(), version: z.string() }) } },
    },
  },
});

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Isopod", version: VERSION, description: "A personal AI agent as serverless edge functions." },
  security: [{ token: [] }],
};

type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

const METHODS = ["get", "put", "post", "patch", "delete"] as const;

/** The default response of the routes below `/v1`, apart from the OpenAI routes. */
const ERROR_RESPONSE = {
  description: "The error",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

/** Adds the error response to the operations of an OpenAPI document, in place. */
function withErrorResponses(document: OpenApiDocument): OpenApiDocument {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    if (!path.startsWith("/v1/") || speaksOpenAi(path)) continue;
    for (const method of METHODS) {
      const operation = item[method];
      if (operation !== undefined) operation.responses = { default: ERROR_RESPONSE, ...operation.responses };
    }
  }
  return document;
}
