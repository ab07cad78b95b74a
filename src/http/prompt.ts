import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { previewPrompt } from "../session/inspect/preview.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { promptView } from "./prompt-schema.ts";
import { plainPrompt, promptContent } from "./prompt-text.ts";
import { httpErrorOf } from "./workspace.ts";

const query = z.strictObject({
  channel: z.string().optional().openapi({ description: "A channel's id. Without it: the API, or the page." }),
  account: z.string().optional().openapi({ description: "One of its accounts." }),
  kind: z.enum(["direct", "group", "channel"]).optional().openapi({ description: "`direct` where nothing says so." }),
  sender: z.enum(["owner", "other"]).default("owner").openapi({ description: "Who speaks." }),
  session: z.string().optional().openapi({
    description: "A session's key. It need not be there, and what it has set for itself is not looked at.",
  }),
  mode: z.enum(["full", "minimal", "none"]).optional().openapi({
    description: "What follows from the session's key where it is absent: `minimal` for sub-agents and jobs.",
  }),
  model: z.string().optional().openapi({ description: "`provider/model` or an alias; else the agent's own." }),
  thinking: z.enum(["off", "minimal", "low", "medium", "high"]).optional(),
});

const previewRoute = createRoute({
  method: "get",
  path: "/agents/{id}/prompt",
  summary: "The system prompt that a turn would get now",
  description:
    "Gathered and rendered as a live turn's is, plugins' changes included; no session is made or woken, and nothing is " +
    "written. `seeded` is false where no turn has furnished the workspace yet: the files are then those that the first " +
    "one will write. `Accept: text/plain` or `text/markdown` gives the text alone.",
  request: { params: z.object({ id: z.string().openapi({ description: "The agent's id." }) }), query },
  responses: {
    200: { description: "The prompt", content: promptContent(promptView.extend({ seeded: z.boolean() })) },
  },
});

/** `/v1/agents/:id/prompt`. */
export const promptRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

promptRoutes.openapi(previewRoute, async (c) => {
  const { id } = c.req.valid("param");
  const looking = previewPrompt(id, c.req.valid("query"), c.get("wiring"), Date.now());
  const preview = await looking.catch((error: unknown) => {
    throw error instanceof WorkspaceError ? httpErrorOf(error, false) : error;
  });
  return plainPrompt(c, preview) ?? c.json(preview, 200);
});
