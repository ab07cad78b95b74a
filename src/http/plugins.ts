import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { PLUGINS } from "../plugins/index.ts";
import { pluginView } from "../plugins/view.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";

const names = z.array(z.string());

const plugin = z
  .object({
    name: z.string(),
    summary: z.string(),
    enabled: z.boolean(),
    hooks: z.array(z.object({ event: z.string(), priority: z.number() })),
    tools: names,
    sections: z.array(z.object({ name: z.string(), layer: z.enum(["stable", "dynamic"]), modes: names })),
    channels: names,
    providers: names,
    skills: names.openapi({ description: "By their names." }),
  })
  .openapi("Plugin");

const listRoute = createRoute({
  method: "get",
  path: "/plugins",
  summary: "List the plugins of this deployment with their parts",
  description: "Plugins are compiled in; `hooks.internal` of the configuration enables them.",
  request: { query: z.strictObject({}) },
  responses: {
    200: {
      description: "All, in the order of the list",
      content: { "application/json": { schema: z.object({ plugins: z.array(plugin) }) } },
    },
  },
});

/** `/v1/plugins`. */
export const pluginRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

pluginRoutes.openapi(listRoute, (c) => {
  const { hooks } = c.get("services").config;
  return c.json({ plugins: PLUGINS.map((plugin) => pluginView(plugin, hooks)) }, 200);
});
