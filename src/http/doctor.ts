import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { examine } from "../diagnostics/examine.ts";
import { openDiagnostics } from "../diagnostics/open-diagnostics.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { diagnosis } from "./status-schema.ts";

const doctorRoute = createRoute({
  method: "get",
  path: "/doctor",
  summary: "Looks whether everything works, and says how to mend what does not",
  description:
    "Configuration, secrets (by name), bindings, database, models, channels (by asking their platforms), owners, " +
    "workspaces, skills, budgets, and what waits. It changes nothing, takes seconds at most, and answers also where the " +
    "configuration is not valid.",
  request: { query: z.strictObject({}) },
  responses: {
    200: {
      description: "What was found",
      content: {
        "application/json": {
          schema: diagnosis,
        },
      },
    },
  },
});

/** `/v1/doctor`. */
export const doctorRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

doctorRoutes.openapi(doctorRoute, async (c) => {
  const waitUntil = (promise: Promise<unknown>) => c.executionCtx.waitUntil(promise);
  const patient = await openDiagnostics(c.env, new URL(c.req.url).origin, waitUntil);
  return c.json(await examine(patient), 200);
});
