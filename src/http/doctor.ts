import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { examine } from "../diagnostics/examine.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { type ConfigurationView, configurationView } from "../services/config-view.ts";
import { createServices, variable } from "../services/create-services.ts";
import { knowConfiguration } from "../services/current-config.ts";
import type { Services } from "../services/services.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { diagnosis } from "./status-schema.ts";

const doctorRoute = createRoute({
  method: "get",
  path: "/doctor",
  summary: "Check the deployment, with a fix for each problem",
  description:
    "Configuration, secrets (by name), bindings, database, models, channels (by asking their platforms), owners, " +
    "workspaces, skills, budgets, and the backlog. Changes nothing, takes seconds at most, and works with an invalid " +
    "configuration too.",
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
  const { env } = c;
  const now = Date.now();
  const context = {
    bindings: env,
    origin: new URL(c.req.url).origin,
    now,
    secret: (name: string) => variable(env, name),
    configuration: await readConfiguration(env),
    services: await openServices(env, now, (promise) => c.executionCtx.waitUntil(promise)),
  };
  return c.json(await examine(context), 200);
});

/** The configuration; an unreadable one becomes a fault, so that the checks can report it. */
async function readConfiguration(env: Env): Promise<ConfigurationView> {
  try {
    return await configurationView(env);
  } catch (error) {
    const faults = [{ path: "(document)", message: `It cannot be read: ${messageOf(error)}` }];
    return { revision: 0, source: "stored", document: {}, inForce: null, config: undefined, faults };
  }
}

/** The services; undefined where they cannot be opened, for reasons that the checks report. */
async function openServices(
  env: Env,
  now: number,
  waitUntil: Parameters<typeof createServices>[1],
): Promise<Services | undefined> {
  try {
    await knowConfiguration(env, now);
    return createServices(env, waitUntil);
  } catch (error) {
    log("warn", "doctor.not_wired", { error: messageOf(error) });
    return undefined;
  }
}
