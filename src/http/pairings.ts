import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { approvePairing, listPairings, removePairing } from "../channels/pairing.ts";
import { IsopodError } from "../lib/errors.ts";
import { noteSecurityEvent } from "../services/security-events.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { smallBody } from "./request-body.ts";

const pairing = z
  .object({
    id: z.string().openapi({ description: "`channel:account:sender`." }),
    channelId: z.string(),
    accountId: z.string(),
    code: z.string(),
    senderName: z.string().nullable(),
    requestedAt: z.int(),
    approvedAt: z.int().nullable(),
    owner: z.boolean(),
  })
  .openapi("Pairing");

const listRoute = createRoute({
  method: "get",
  path: "/pairings",
  summary: "List pairing requests and paired senders",
  request: { query: z.strictObject({}) },
  responses: {
    200: { description: "All", content: { "application/json": { schema: z.object({ pairings: z.array(pairing) }) } } },
  },
});

const approveRoute = createRoute({
  method: "post",
  path: "/pairings/approve",
  middleware: smallBody,
  summary: "Approve a pairing code",
  request: {
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({
            code: z.string().min(1),
            owner: z
              .boolean()
              .default(false)
              .openapi({ description: "Whether the sender becomes an owner, with all rights." }),
          }),
        },
      },
    },
  },
  responses: { 200: { description: "Paired", content: { "application/json": { schema: pairing } } } },
});

const removeRoute = createRoute({
  method: "delete",
  path: "/pairings/{id}",
  summary: "Remove a pairing",
  request: { params: z.object({ id: z.string() }) },
  responses: { 204: { description: "Removed" } },
});

/** `/v1/pairings`. */
export const pairingRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

pairingRoutes.openapi(listRoute, async (c) => c.json({ pairings: await listPairings(c.env.DB) }, 200));

pairingRoutes.openapi(approveRoute, async (c) => {
  const { code, owner } = c.req.valid("json");
  const approved = await approvePairing(c.env.DB, code, owner, Date.now());
  if (approved === undefined) {
    throw new IsopodError(
      "not_found",
      `code: no pairing request has '${code}'`,
      "A code is good for an hour. If it has expired, have the person write again: they get a new one.",
    );
  }
  await note(c, approved.id, owner ? "approved as owner" : "approved");
  return c.json(approved, 200);
});

pairingRoutes.openapi(removeRoute, async (c) => {
  const { id } = c.req.valid("param");
  if (!(await removePairing(c.env.DB, id))) throw new IsopodError("not_found", `id: there is no pairing '${id}'`);
  await note(c, id, "removed");
  return c.body(null, 204);
});

async function note(c: Context<AppEnv>, subject: string, detail: string): Promise<void> {
  const event = { kind: "pairing", agentId: "", by: c.get("caller").name, subject, detail } as const;
  await noteSecurityEvent(c.env.DB, event, Date.now());
}
