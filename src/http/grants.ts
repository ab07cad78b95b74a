import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { IsopodError } from "../lib/errors.ts";
import { callSession } from "../session/api.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { grants } from "./grants-schema.ts";
import { sessionAddress } from "./session-lookup.ts";

const key = z.string().openapi({ description: "The session's key." });

const listRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/grants",
  summary: "List what an owner has allowed for good in a session",
  request: { params: z.object({ key }), query: z.strictObject({}) },
  responses: {
    200: {
      description: "Oldest first",
      content: { "application/json": { schema: grants } },
    },
  },
});

const revokeRoute = createRoute({
  method: "delete",
  path: "/sessions/{key}/grants/{id}",
  summary: "Take back what was allowed for good",
  request: { params: z.object({ key, id: z.string() }), query: z.strictObject({}) },
  responses: { 204: { description: "From the next call on it is asked about again" } },
});

/** `/v1/sessions/{key}/grants`. */
export const grantRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

grantRoutes.openapi(listRoute, async (c) => {
  const address = await sessionAddress(c, c.req.valid("param").key);
  const grants = await callSession(c.env, address, (session) => session.grants());
  return c.json({ grants: grants ?? [] }, 200);
});

grantRoutes.openapi(revokeRoute, async (c) => {
  const { key: sessionKey, id } = c.req.valid("param");
  const revoked = await callSession(c.env, await sessionAddress(c, sessionKey), (session) => session.revoke(id));
  if (revoked === undefined) {
    throw new IsopodError(
      "not_found",
      `id: nothing is allowed under '${id.slice(0, 80)}'`,
      `See GET /v1/sessions/{key}/grants.`,
    );
  }
  return c.body(null, 204);
});
