import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { agentOf } from "../config/agents.ts";
import { acceptFiles, reviewFiles } from "../workspace/acceptance.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid, withWorkspaceErrors } from "./errors.ts";
import { smallBody } from "./request-body.ts";

const file = z
  .object({
    path: z.string(),
    state: z.enum(["accepted", "changed", "new", "gone"]),
    etag: z.string().optional().openapi({ description: "Of the current file." }),
    labels: z
      .array(z.string())
      .readonly()
      .optional()
      .openapi({ description: "Where words come from that the owner has not accepted." }),
    acceptedAt: z.int().optional().openapi({ description: "Milliseconds since the epoch." }),
  })
  .openapi("ReviewedFile");

const review = z
  .object({
    hasAccepted: z
      .boolean()
      .openapi({ description: "False where nothing was ever accepted; there are no warnings then." }),
    files: z.array(file),
  })
  .openapi("Review");

const params = z.object({ id: z.string().openapi({ description: "The agent's id." }) });
const answer = {
  200: { description: "Each file", content: { "application/json": { schema: review } } },
};

const readRoute = createRoute({
  method: "get",
  path: "/agents/{id}/bootstrap",
  summary: "Review an agent's bootstrap files against the accepted versions",
  request: { params, query: z.strictObject({}) },
  responses: answer,
});

const acceptRoute = createRoute({
  method: "post",
  path: "/agents/{id}/bootstrap/accept",
  summary: "Accept the current bootstrap files",
  description:
    "Their words count as the owner's from now on: prompts show them, and their labels go. With `seen`, only if each file still has that etag; otherwise `409`, " +
    "and nothing is accepted.",
  middleware: smallBody,
  request: {
    params,
    body: {
      required: false,
      content: {
        "application/json": {
          schema: z.strictObject({
            seen: z
              .record(z.string(), z.string())
              .optional()
              .openapi({ description: "The etags of all files by path." }),
          }),
        },
      },
    },
  },
  responses: answer,
});

/** `/v1/agents/{id}/bootstrap`: the review of an agent's bootstrap files. */
export const bootstrapFileRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

bootstrapFileRoutes.openapi(readRoute, async (c) => {
  const { config, workspaceOf } = c.get("services");
  const agent = agentOf(config, c.req.valid("param").id);
  return c.json(await withWorkspaceErrors(() => reviewFiles(c.env.DB, workspaceOf(agent), agent.id)), 200);
});

bootstrapFileRoutes.openapi(acceptRoute, async (c) => {
  const { config, workspaceOf } = c.get("services");
  const agent = agentOf(config, c.req.valid("param").id);
  const { seen } = c.req.valid("json");
  const accept = () => acceptFiles(c.env.DB, workspaceOf(agent), agent.id, { seen, now: Date.now() });
  return c.json(await withWorkspaceErrors(accept), 200);
});
