import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { isForOneRequest } from "../../config/session-key.ts";
import { IsopodError } from "../../lib/errors.ts";
import { callSession } from "../../session/api.ts";
import type { RunView } from "../../session-store/run-views.ts";
import type { AppEnv } from "../context.ts";
import { checkedByNewest } from "../newest-services.ts";
import { runAddress, sessionAddress } from "../session-lookup.ts";
import { answerFormat, clientWishes, type RequestedWishes } from "./client-tools.ts";
import { newInput, responsesConversation, withFormat } from "./conversation.ts";
import { onOpenAiInvalid, problemResponse, runProblem } from "./errors.ts";
import { abortRun, collectRun, type FollowedRun, findRun, streamRun, withRequestId } from "./follow-run.ts";
import { type RequestSession, requestSession } from "./request-session.ts";
import { openResponse, openStatus, responseFrame, responseRunId } from "./response-object.ts";
import { type ResponseObject, type ResponsesRequest, response, responsesRequest } from "./responses-schema.ts";
import { ResponseEvents, responseStreamFormat } from "./responses-stream.ts";
import { largeBody, openAiHeaders, responsesOf, showsTools, thinkingLevel, unsupported } from "./shared-schema.ts";
import { pendingApprovals, runInput, startRun } from "./start-run.ts";

/** How long a session without a user stays after its last run: with `store` as long as at OpenAI, else ten minutes. */
const STORED_EXPIRY_MS = 30 * 86_400_000;
const UNSTORED_EXPIRY_MS = 600_000;
/** How long a cancelled run may take to stop before the answer shows it as still running. */
const STOP_MS = 5000;

const createResponseRoute = createRoute({
  method: "post",
  path: "/responses",
  summary: "OpenAI: a response by an agent",
  description: [
    "Models, headers, files, retries and approvals are those of `POST /v1/chat/completions`.",
    "`previous_response_id` continues in that response's session, as it is now. With `user`, or the header " +
      "`x-isopod-session-key`, the session is permanent, and only the part of `input` after the last answer is " +
      "added to it. Without any of them a new session starts, and earlier items are quoted in it. It is deleted 30 " +
      "days after its last run, or ten minutes after it where `store` is false.",
    "Each message of the run is an item of the output. `reasoning.summary` adds the reasoning, and `x-isopod-tools: " +
      "show` the agent's own tool calls: as `mcp_call` items of the server `isopod`, with their output, which no " +
      "client tries to run.",
    "`tools` and `text.format` are as in chat completions: a call of a tool of the client's is a `function_call` item, " +
      "with which the response ends; its `function_call_output` goes on in the same session.",
    "With `background` the answer comes at once, `queued` or `in_progress`; `GET /v1/responses/{id}` has the result. " +
      "`instructions` are for the model of this run only.",
    "Accepted and ignored: `temperature`, `top_p`, `max_output_tokens`, `max_tool_calls`, `truncation`, `include`, " +
      "`service_tier`, and all other fields.",
  ].join("\n\n"),
  middleware: largeBody,
  request: {
    headers: openAiHeaders,
    body: { required: true, content: { "application/json": { schema: responsesRequest } } },
  },
  responses: responsesOf(response, "The response; with `stream`, its events"),
});

const params = z.object({ id: z.string().openapi({ description: "The id of the response." }) });

const showRoute = createRoute({
  method: "get",
  path: "/responses/{id}",
  summary: "OpenAI: a response as it stands",
  description:
    "The request is not stored: `instructions`, `metadata` and the like are empty, and reasoning is left out. With " +
    "`stream` its events from the first, also while it is in progress; the text of an ended message comes as one " +
    "part, so nothing can be skipped with `starting_after`.",
  request: {
    params,
    query: z.looseObject({
      stream: z.enum(["true", "false"]).optional(),
      starting_after: unsupported("events are always sent from the first on"),
    }),
  },
  responses: responsesOf(response, "The response; with `stream`, its events"),
});

const cancelRoute = createRoute({
  method: "post",
  path: "/responses/{id}/cancel",
  summary: "OpenAI: stop a response",
  description: "Stops its run, in the background or not. Idempotent; a response that has ended stays as it is.",
  request: { params },
  responses: responsesOf(response, "The response now"),
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/responses/{id}",
  summary: "OpenAI: delete a response",
  description:
    "Deletes the response's session, with all responses in it. The session of a user or of a header is not deleted " +
    "this way: use `DELETE /v1/sessions/{key}`.",
  request: { params },
  responses: responsesOf(
    z.object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) }),
    "It is deleted",
  ),
});

/** `/v1/responses`. */
export const openAiResponsesRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onOpenAiInvalid });

openAiResponsesRoutes.openapi(createResponseRoute, async (c) => {
  const body = c.req.valid("json");
  const session = await responseSession(c, body);
  const client = await checkedByNewest(c, (services) => clientWishes(responseWishes(body), services));
  const said = withFormat(responsesConversation(body), client);
  const conversation = newInput(said, session.sessionKey !== undefined, "input");
  const thinking = thinkingLevel(body.reasoning?.effort);
  const input = await runInput(c, session.agentId, conversation, { thinking, client });
  const expiryMs = body.store === false ? UNSTORED_EXPIRY_MS : STORED_EXPIRY_MS;
  const run = await startRun(c, { session, input, expiryMs, body });
  const { runId, accepted, isSingleRequest } = run;
  const frame = responseFrame({ runId, agentId: session.agentId, acceptedAt: accepted.acceptedAt }, body);
  const events = new ResponseEvents(frame, {
    showsTools: showsTools(c.req.header("x-isopod-tools"), body.isopod),
    showsReasoning: Boolean(body.reasoning?.summary),
  });
  if (body.stream) {
    const abortOnDisconnect = isSingleRequest && !body.background;
    return streamRun(c, { ...run, abortOnDisconnect }, responseStreamFormat(events));
  }
  if (body.background) {
    await run.events.cancel();
    const status = openStatus(await findRun(c, runId)) ?? "in_progress";
    return withRequestId(c.json(openResponse(frame, status), 200), run);
  }
  const { updates, final } = await collectRun(c, run);
  if (final.kind === "failed") return withRequestId(problemResponse(runProblem(final.error)), run);
  for (const update of updates) events.from(update);
  return withRequestId(c.json(events.response, 200), run);
});

openAiResponsesRoutes.openapi(showRoute, async (c) => {
  const { id } = c.req.valid("param");
  const view = await findResponseRun(c, id);
  if (c.req.valid("query").stream === "true") {
    const run = { ...(await followFromStart(c, view)), abortOnDisconnect: false };
    return streamRun(c, run, responseStreamFormat(storedResponseEvents(c, view)));
  }
  return withRequestId(c.json(await storedResponse(c, view), 200), view);
});

openAiResponsesRoutes.openapi(cancelRoute, async (c) => {
  const { id } = c.req.valid("param");
  const { runId } = await findResponseRun(c, id);
  await abortRun(c, runId);
  await callSession(c.env, runAddress(runId), (session) => session.wait(runId, STOP_MS));
  return withRequestId(c.json(await storedResponse(c, await findResponseRun(c, id)), 200), { runId });
});

openAiResponsesRoutes.openapi(deleteRoute, async (c) => {
  const { id } = c.req.valid("param");
  const { sessionKey } = await findResponseRun(c, id);
  if (!isForOneRequest(sessionKey)) {
    const message = `The response is part of the session '${sessionKey}', which others may use`;
    throw new IsopodError("invalid_request", message, "DELETE /v1/sessions/{key} deletes a session.", { param: "id" });
  }
  await callSession(c.env, await sessionAddress(c, sessionKey), (session) => session.remove());
  return c.json({ id, object: "response" as const, deleted: true as const }, 200);
});

function responseWishes({ tools, tool_choice: choice, text }: ResponsesRequest): RequestedWishes {
  const format = text?.format;
  return {
    tools: tools ?? [],
    nameParam: (index) => `tools[${index}].name`,
    choice,
    format: answerFormat(format?.type, format?.type === "json_schema" ? format : undefined),
    formatParam: "text.format.schema",
  };
}

/** The session of the response that `previous_response_id` names, else the one that the request chooses. */
async function responseSession(c: Context<AppEnv>, body: ResponsesRequest): Promise<RequestSession> {
  const { model, user, previous_response_id: previous } = body;
  const selector = { model, user, header: (name: string) => c.req.header(name) };
  const chosen = await checkedByNewest(c, ({ config }) => requestSession(selector, config));
  if (!previous) return chosen;
  const view = await findRun(c, responseRunId(previous)).catch((error: unknown) => {
    if (!(error instanceof IsopodError) || error.code !== "not_found") throw error;
    const message = `Previous response with id '${previous.slice(0, 80)}' not found`;
    const details = { param: "previous_response_id", reason: "previous_response_not_found" };
    throw new IsopodError("invalid_request", message, undefined, details);
  });
  if (model !== "isopod" && view.agentId !== chosen.agentId) {
    const message = `previous_response_id: that response is of agent '${view.agentId}', not '${chosen.agentId}'`;
    throw new IsopodError("invalid_request", message, undefined, { param: "previous_response_id" });
  }
  return { agentId: view.agentId, sessionKey: view.sessionKey };
}

/** @throws IsopodError `not_found` where there is no such response */
async function findResponseRun(c: Context<AppEnv>, id: string): Promise<RunView> {
  return findRun(c, responseRunId(id)).catch((error: unknown) => {
    if (!(error instanceof IsopodError) || error.code !== "not_found") throw error;
    throw new IsopodError("not_found", `Response with id '${id.slice(0, 80)}' not found`, undefined, { param: "id" });
  });
}

function storedResponseEvents(c: Context<AppEnv>, view: RunView): ResponseEvents {
  const options = { showsTools: showsTools(c.req.header("x-isopod-tools"), undefined), showsReasoning: false };
  return new ResponseEvents(responseFrame(view), options);
}

async function storedResponse(c: Context<AppEnv>, view: RunView): Promise<ResponseObject> {
  const open = openStatus(view);
  if (open !== undefined) return openResponse(responseFrame(view), open);
  const events = storedResponseEvents(c, view);
  const { updates } = await collectRun(c, await followFromStart(c, view));
  for (const update of updates) events.from(update);
  return events.response;
}

async function followFromStart(c: Context<AppEnv>, { runId, sessionKey }: RunView): Promise<FollowedRun> {
  const events = await callSession(c.env, runAddress(runId), (session) => session.runEvents(runId, 0));
  if (events === undefined) throw new IsopodError("not_found", "The response was deleted meanwhile");
  return { runId, events, blockingApprovals: () => pendingApprovals(c, sessionKey) };
}
