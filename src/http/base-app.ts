import { OpenAPIHono } from "@hono/zod-openapi";
import type { Hono, MiddlewareHandler, NotFoundHandler } from "hono";
import { IsopodError } from "../lib/errors.ts";
import { requireLogin } from "./auth.ts";
import type { AppEnv } from "./context.ts";
import { onError } from "./errors.ts";
import { provideServices } from "./newest-services.ts";
import { onOpenAiError, speaksOpenAi } from "./openai/errors.ts";
import { notFoundHandler, requirePlainPath } from "./request-path.ts";

/** Where clients of the Model Context Protocol come in. */
export const MCP_PATH = "/mcp";

/** Routes and the path below which they are. */
export type MountedRoutes = readonly [path: "/" | "/v1", routes: Hono<AppEnv>];

/** The routes of an app, by what a request needs before it comes to them. */
export interface AppRoutes {
  /** Below `/v1` these, too, are open to everybody. */
  open?: readonly MountedRoutes[];
  /** For somebody who is logged in, whether the configuration is valid or not. */
  unconfigured?: readonly MountedRoutes[];
  /** With the services of the configuration in force; below `/v1` and at `/mcp` for somebody who is logged in. */
  configured: readonly MountedRoutes[];
  /** Answers other requests; by default with 404 or 405. */
  notFound?: NotFoundHandler<AppEnv>;
}

/** An app of these routes, with what is true of all requests. */
export function createBaseApp({ open = [], unconfigured = [], configured, notFound }: AppRoutes): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  app.onError((error, c) => {
    const retryAfterSec = error instanceof IsopodError ? error.details.retryAfterSec : undefined;
    if (retryAfterSec !== undefined) c.header("Retry-After", String(retryAfterSec));
    return speaksOpenAi(c.req.path) ? onOpenAiError(error, c) : onError(error, c);
  });
  app.notFound(notFound ?? notFoundHandler(() => app.routes));
  app.use(requirePlainPath);
  for (const [path, routes] of open) app.route(path, routes);
  for (const closed of ["/v1/*", MCP_PATH]) app.use(closed, closedAnswers, requireLogin);
  for (const [path, routes] of unconfigured) app.route(path, routes);
  app.use(async (c, next) => {
    await provideServices(c);
    await next();
  });
  for (const [path, routes] of configured) app.route(path, routes);
  return app;
}

/** Answers below `/v1` and at `/mcp` are stored by nobody, and no browser guesses what they are, unless a route says otherwise. */
const closedAnswers: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  // The headers of an answer that an object gave, such as a socket's, cannot be changed.
  if (c.res.status === 101 || !c.res.headers.get("Content-Type")?.startsWith("application/json")) return;
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
  c.res.headers.set("X-Content-Type-Options", "nosniff");
};
