import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { agentOf, defaultAgentId } from "../config/agents.ts";
import { VERSION } from "../lib/version.ts";
import { includesScope, SCOPES } from "../services/tokens.ts";
import { logIn, logOut } from "./auth.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { smallBody } from "./request-body.ts";
import { refuseMethod } from "./request-path.ts";
import { caller } from "./status-schema.ts";

const loginRoute = createRoute({
  method: "post",
  path: "/login",
  middleware: smallBody,
  summary: "Log a browser in",
  description: "Sets a cookie for 30 days that works only from this origin's own pages.",
  security: [],
  request: {
    body: {
      required: true,
      content: { "application/json": { schema: z.strictObject({ token: z.string().min(1).max(500) }) } },
    },
  },
  responses: { 204: { description: "Logged in" } },
});

const logoutRoute = createRoute({
  method: "post",
  path: "/logout",
  summary: "Log a browser out",
  responses: { 204: { description: "Logged out" } },
});

const meRoute = createRoute({
  method: "get",
  path: "/me",
  summary: "The caller and the default agent",
  request: { query: z.strictObject({}) },
  responses: {
    200: {
      description: "The caller",
      content: {
        "application/json": {
          schema: caller,
        },
      },
    },
  },
});

/** `POST /v1/login`: the only route under `/v1` without authentication. */
export const loginRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

loginRoutes.openapi(loginRoute, async (c) => {
  await logIn(c, c.req.valid("json").token);
  return c.body(null, 204);
});

loginRoutes.all("/login", (c) => refuseMethod(c, ["POST"]));

/** `/v1/logout` and `/v1/me`. */
export const callerRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

callerRoutes.openapi(logoutRoute, async (c) => {
  await logOut(c);
  return c.body(null, 204);
});

callerRoutes.openapi(meRoute, (c) => {
  const { config, modelRefOf } = c.get("services");
  const agentId = defaultAgentId(config);
  const model = modelRefOf(agentOf(config, agentId));
  const { scope: given, signOutPath } = c.get("caller");
  const scopes = SCOPES.filter((scope) => includesScope(given, scope));
  return c.json({ agentId, model, scopes, version: VERSION, signOutPath }, 200);
});
