import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { objectNameOfApproval } from "../config/session-ids.ts";
import { IsopodError } from "../lib/errors.ts";
import { callSession } from "../session/api.ts";
import { listApprovals } from "../session-store/session-index.ts";
import { readList } from "./bookmarks.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { smallBody } from "./request-body.ts";
import { decision } from "./run-schema.ts";

const MAX_APPROVALS = 500;

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
  summary: "List the tool calls that wait for approval, the latest first",
  description: "Their arguments are in the run.",
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
  summary: "Decide a tool call that waits for approval",
  description:
    "`allow-always` also allows later calls of this tool with the same programs, hosts and conversations; where a question offers no such scope, it allows this once.",
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
      description: "Stored; the run continues once no other call waits",
      content: { "application/json": { schema: z.object({ id: z.string(), decision: z.string() }) } },
    },
  },
});

/** `/v1/approvals`. */
export const approvalRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

approvalRoutes.openapi(listRoute, async (c) => {
  return c.json({ approvals: await readList(c, (database) => listApprovals(database, MAX_APPROVALS)) }, 200);
});

approvalRoutes.openapi(decideRoute, async (c) => {
  const { id } = c.req.valid("param");
  const { decision: decided } = c.req.valid("json");
  const objectName = objectNameOfApproval(id);
  const noted =
    objectName !== undefined &&
    (await callSession(c.env, { name: objectName }, (session) => session.decide(id, decided)));
  if (!noted) throw new IsopodError("not_found", `Nothing waits under '${id.slice(0, 80)}'`, "See GET /v1/approvals.");
  return c.json({ id, decision: decided }, 200);
});
