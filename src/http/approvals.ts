import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { desc } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { objectNameOfApproval } from "../config/session-ids.ts";
import { approvals } from "../db/schema.ts";
import { IsopodError } from "../lib/errors.ts";
import { callSession } from "../session/api.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { decision } from "./run-schema.ts";
import { smallBody } from "./small-body.ts";

const approval = z
  .object({
    id: z.string(),
    runId: z.string(),
    sessionKey: z.string(),
    agentId: z.string(),
    tool: z.string(),
    question: z.string(),
    requestedAt: z.int(),
  })
  .openapi("Approval");

const listRoute = createRoute({
  method: "get",
  path: "/approvals",
  summary: "The tool calls that wait for a person's word, the latest first",
  description: "The run itself has their arguments.",
  request: { query: z.strictObject({}) },
  responses: {
    200: {
      description: "All",
      content: { "application/json": { schema: z.object({ approvals: z.array(approval) }) } },
    },
  },
});

const decideRoute = createRoute({
  method: "post",
  path: "/approvals/{id}",
  middleware: smallBody,
  summary: "Say whether a tool call may run",
  description: "`allow-always` allows the tool for the rest of the session.",
  request: {
    params: z.object({ id: z.string() }),
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({ decision }),
        },
      },
    },
  },
  responses: {
    200: {
      description: "Noted, and the run goes on once nothing else is waited for",
      content: { "application/json": { schema: z.object({ id: z.string(), decision: z.string() }) } },
    },
  },
});

/** `/v1/approvals`. */
export const approvalRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

approvalRoutes.openapi(listRoute, async (c) => {
  const rows = await drizzle(c.env.DB).select().from(approvals).orderBy(desc(approvals.requestedAt)).limit(500);
  return c.json({ approvals: rows }, 200);
});

approvalRoutes.openapi(decideRoute, async (c) => {
  const { id } = c.req.valid("param");
  const { decision: decided } = c.req.valid("json");
  const objectName = objectNameOfApproval(id);
  const noted =
    objectName !== undefined &&
    (await callSession(c.env.SESSIONS, objectName, (session) => session.decide(id, decided)));
  if (!noted) throw new IsopodError("not_found", `Nothing waits under '${id.slice(0, 80)}'`, "See GET /v1/approvals.");
  return c.json({ id, decision: decided }, 200);
});
