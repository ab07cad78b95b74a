import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { VERSION } from "../lib/version.ts";
import { agentRoutes } from "./agent.ts";
import { agentListRoutes } from "./agents.ts";
import { approvalRoutes } from "./approvals.ts";
import { auditRoutes } from "./audit.ts";
import { requireLogin } from "./auth.ts";
import { bootstrapFileRoutes } from "./bootstrap-files.ts";
import { budgetRoutes } from "./budgets.ts";
import { channelRoutes } from "./channels.ts";
import { configRoutes } from "./config.ts";
import { configImportRoutes } from "./config-import.ts";
import { configSchemaRoutes } from "./config-schema.ts";
import type { AppEnv } from "./context.ts";
import { docsRoutes } from "./docs.ts";
import { doctorRoutes } from "./doctor.ts";
import { errorBody, onError } from "./errors.ts";
import { callerRoutes, loginRoutes } from "./login.ts";
import { memoryRoutes } from "./memory.ts";
import { provideServices } from "./newest-services.ts";
import { openWorkspace } from "./open-workspace.ts";
import { openAiChatRoutes } from "./openai/chat.ts";
import { onOpenAiError, speaksOpenAi } from "./openai/errors.ts";
import { openAiModelRoutes } from "./openai/models.ts";
import { openAiResponsesRoutes } from "./openai/responses.ts";
import { pairingRoutes } from "./pairings.ts";
import { pluginRoutes } from "./plugins.ts";
import { promptRoutes } from "./prompt.ts";
import { notFoundHandler, requirePlainPath } from "./request-path.ts";
import { runRoutes } from "./runs.ts";
import { sessionRoutes } from "./sessions.ts";
import { skillInstallRoutes } from "./skill-installs.ts";
import { skillRoutes } from "./skills.ts";
import { socketRoutes } from "./socket.ts";
import { workspaceRoutes } from "./workspace.ts";

/** The HTTP routes of the Worker: public ones first, then those that need a login. */
export function createApp(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  app.onError((error, c) => (speaksOpenAi(c.req.path) ? onOpenAiError(error, c) : onError(error, c)));
  app.notFound(notFoundHandler(() => app.routes));
  app.use(requirePlainPath);
  app.openapi(healthRoute, (c) => c.json({ ok: true, version: VERSION }, 200));
  app.get("/openapi.json", (c) => c.json(withErrorResponses(app.getOpenAPI31Document(DOCUMENT))));
  app.route("/", docsRoutes);
  app.route("/v1", loginRoutes);
  app.use("/v1/*", requireLogin);
  // These routes have to work with an invalid configuration, because they correct it.
  app.route("/v1", configRoutes);
  app.route("/v1", configSchemaRoutes);
  app.route("/v1", configImportRoutes);
  app.route("/v1", doctorRoutes);
  app.use(async (c, next) => {
    await provideServices(c);
    await next();
  });
  app.route("/", channelRoutes);
  app.route("/v1", callerRoutes);
  app.route("/v1", agentRoutes);
  app.route("/v1", agentListRoutes);
  app.route("/v1", bootstrapFileRoutes);
  app.route("/v1", skillRoutes);
  app.route("/v1", memoryRoutes);
  app.route("/v1", runRoutes);
  app.route("/v1", sessionRoutes);
  app.route("/v1", approvalRoutes);
  app.route("/v1", budgetRoutes);
  app.route("/v1", socketRoutes);
  app.route("/v1", pairingRoutes);
  app.route("/v1", auditRoutes);
  app.route("/v1", pluginRoutes);
  app.route("/v1", promptRoutes);
  app.route("/v1", skillInstallRoutes);
  app.route("/v1", openAiModelRoutes);
  app.route("/v1", openAiChatRoutes);
  app.route("/v1", openAiResponsesRoutes);
  app.route(
    "/v1",
    workspaceRoutes<AppEnv>(async (c, agentId) => openWorkspace(c.get("services"), agentId, c.env)),
  );
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
