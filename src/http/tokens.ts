import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { IsopodError } from "../lib/errors.ts";
import { noteSecurityEvent } from "../services/security-events.ts";
import { addToken, listTokens, removeToken, SCOPES } from "../services/tokens.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { smallBody } from "./request-body.ts";

const DAY_MS = 86_400_000;
const instant = z.int().openapi({ description: "Milliseconds since the epoch." });

const token = z
  .object({
    id: z.string(),
    name: z.string(),
    scope: z.enum(SCOPES),
    createdAt: instant,
    expiresAt: instant.nullable(),
    lastUsedAt: instant.nullable().openapi({ description: "To the day; null if it was never used." }),
  })
  .openapi("Token");

const listRoute = createRoute({
  method: "get",
  path: "/tokens",
  summary: "List the access tokens, the newest first",
  description: "Without their secrets, which nobody has but their holders. `ISOPOD_TOKEN` is not one of them.",
  request: { query: z.strictObject({}) },
  responses: {
    200: { description: "All", content: { "application/json": { schema: z.object({ tokens: z.array(token) }) } } },
  },
});

const createTokenRoute = createRoute({
  method: "post",
  path: "/tokens",
  middleware: smallBody,
  summary: "Make an access token",
  description: "The secret is in this answer and is not shown again. `admin` includes `write`, which includes `read`.",
  request: {
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({
            name: z.string().trim().min(1).max(80).openapi({ description: "What it is for." }),
            scope: z.enum(SCOPES).default("write"),
            expiresInDays: z.int().min(1).max(3650).optional().openapi({ description: "Never, where absent." }),
          }),
        },
      },
    },
  },
  responses: {
    201: {
      description: "Made",
      content: {
        "application/json": { schema: token.extend({ token: z.string().openapi({ description: "The secret." }) }) },
      },
    },
  },
});

const removeRoute = createRoute({
  method: "delete",
  path: "/tokens/{id}",
  summary: "Revoke an access token and the logins that were made with it",
  description: "It is refused everywhere within a minute.",
  request: { params: z.object({ id: z.string() }) },
  responses: { 204: { description: "Revoked" } },
});

/** `/v1/tokens`. */
export const tokenRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

tokenRoutes.openapi(listRoute, async (c) => c.json({ tokens: await listTokens(c.env.DB) }, 200));

tokenRoutes.openapi(createTokenRoute, async (c) => {
  const { name, scope, expiresInDays } = c.req.valid("json");
  const now = Date.now();
  const expiresAt = expiresInDays === undefined ? null : now + expiresInDays * DAY_MS;
  const made = await addToken(c.env.DB, { name, scope, expiresAt }, now);
  const event = {
    kind: "token",
    agentId: "",
    by: c.get("caller").name,
    subject: name,
    detail: `made, ${scope}`,
  } as const;
  await noteSecurityEvent(c.env.DB, event, now);
  return c.json(made, 201);
});

tokenRoutes.openapi(removeRoute, async (c) => {
  const { id } = c.req.valid("param");
  const removed = await removeToken(c.env.DB, id);
  if (removed === undefined)
    throw new IsopodError("not_found", `id: there is no token '${id.slice(0, 80)}'`, "See GET /v1/tokens.");
  const event = {
    kind: "token",
    agentId: "",
    by: c.get("caller").name,
    subject: removed.name,
    detail: "revoked",
  } as const;
  await noteSecurityEvent(c.env.DB, event, Date.now());
  return c.body(null, 204);
});
