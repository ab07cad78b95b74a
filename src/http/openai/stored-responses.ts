import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { objectNameOf, objectNameOfRun } from "../../config/session-ids.ts";
import { isForOneRequest } from "../../config/session-key.ts";
import { IsopodError } from "../../lib/errors.ts";
import { callSession } from "../../session/api.ts";
import type { RunView } from "../../session-store/run-views.ts";
import type { AppEnv } from "../context.ts";
import { onOpenAiInvalid } from "./errors.ts";
import type { FollowedRun } from "./follow.ts";
import { answers } from "./openapi.ts";
import { showsTools, unsupported } from "./params.ts";
import { openResponse, openStatusOf, responseFrame, runIdOfResponse } from "./response-object.ts";
import { type ResponseObject, response } from "./responses-schema.ts";
import { responseScript } from "./responses-script.ts";
import { ResponseTelling } from "./responses-telling.ts";
import { questionsIn } from "./run.ts";
import { abortRun, findRun, gatherRun, named, streamRun } from "./stream.ts";

const params = z.object({ id: z.string().openapi({ description: "The id of the response." }) });

const showRoute = createRoute({
  method: "get",
  path: "/responses/{id}",
  summary: "OpenAI: a response as it stands",
  description:
    "Of its request only what makes the answer is kept: `instructions`, `metadata` and the like are empty, and thoughts " +
    "are not shown. With `stream` its events from the first, also of one that is still at work; what was said piece by " +
    "piece is one piece once its message is over, so nothing can be skipped with `starting_after`.",
  request: {
    params,
    query: z.looseObject({
      stream: z.enum(["true", "false"]).optional(),
      starting_after: unsupported("events are told from the first on"),
    }),
  },
  responses: answers(response, "The response; with `stream`, its events"),
});

const cancelRoute = createRoute({
  method: "post",
  path: "/responses/{id}/cancel",
  summary: "OpenAI: stop a response",
  description: "Stops its run, in the background or not. May be repeated; one that is over stays as it is.",
  request: { params },
  responses: answers(response, "The response now"),
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/responses/{id}",
  summary: "OpenAI: delete a response",
  description:
    "Deletes the session in which it is, with all responses that followed one another there. A session that a user or " +
    "a header named is not deleted so: `DELETE /v1/sessions/{key}` does that.",
  request: { params },
  responses: answers(
    z.object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) }),
    "It is gone",
  ),
});

/** `/v1/responses/{id}`. */
export const openAiStoredResponsesRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onOpenAiInvalid });

openAiStoredResponsesRoutes.openapi(showRoute, async (c) => {
  const { id } = c.req.valid("param");
  const view = await viewOf(c, id);
  if (c.req.valid("query").stream === "true") {
    const run = { ...(await followed(c, view)), endsWithReader: false };
    return streamRun(c, run, responseScript(tellingOf(c, view)));
  }
  return named(c.json(await responseOf(c, view), 200), view);
});

openAiStoredResponsesRoutes.openapi(cancelRoute, async (c) => {
  const { id } = c.req.valid("param");
  const { runId } = await viewOf(c, id);
  await abortRun(c, runId);
  await callSession(c.env.SESSIONS, objectNameOfRun(runId) ?? "", (session) => session.wait(runId, STOP_MS));
  return named(c.json(await responseOf(c, await viewOf(c, id)), 200), { runId });
});

openAiStoredResponsesRoutes.openapi(deleteRoute, async (c) => {
  const { id } = c.req.valid("param");
  const { sessionKey } = await viewOf(c, id);
  if (!isForOneRequest(sessionKey)) {
    const message = `The response is part of the session '${sessionKey}', which others may use`;
    throw new IsopodError("invalid_request", message, "DELETE /v1/sessions/{key} deletes a session.", { param: "id" });
  }
  await callSession(c.env.SESSIONS, await objectNameOf(sessionKey), (session) => session.remove());
  return c.json({ id, object: "response" as const, deleted: true as const }, 200);
});

/** How long a run has to stop before it is answered that it is still at it. */
const STOP_MS = 5000;

/** @throws IsopodError `not_found` where there is no such response */
async function viewOf(c: Context<AppEnv>, id: string): Promise<RunView> {
  return findRun(c, runIdOfResponse(id)).catch((error: unknown) => {
    if (!(error instanceof IsopodError) || error.code !== "not_found") throw error;
    throw new IsopodError("not_found", `Response with id '${id.slice(0, 80)}' not found`, undefined, { param: "id" });
  });
}

function tellingOf(c: Context<AppEnv>, view: RunView): ResponseTelling {
  const shows = { showsTools: showsTools(c.req.header("x-isopod-tools"), undefined), showsReasoning: false };
  return new ResponseTelling(responseFrame(view), shows);
}

async function responseOf(c: Context<AppEnv>, view: RunView): Promise<ResponseObject> {
  const open = openStatusOf(view);
  if (open !== undefined) return openResponse(responseFrame(view), open);
  const telling = tellingOf(c, view);
  const { told, ending } = await gatherRun(c, await followed(c, view));
  for (const one of [...told, ending]) telling.of(one);
  return telling.response;
}

/** A run with its events from the first on. */
async function followed(c: Context<AppEnv>, { runId, sessionKey }: RunView): Promise<FollowedRun> {
  const objectName = objectNameOfRun(runId) ?? "";
  const events = await callSession(c.env.SESSIONS, objectName, (session) => session.runEvents(runId, 0));
  if (events === undefined) throw new IsopodError("not_found", "The response was deleted meanwhile");
  return { runId, events, blockedBy: () => questionsIn(c.env.DB, sessionKey) };
}
