import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { IsopodError } from "../../lib/errors.ts";
import type { AppEnv } from "../context.ts";
import { saidNow } from "./conversation.ts";
import { onOpenAiInvalid, problemOfRun, problemResponse } from "./errors.ts";
import { inputOf } from "./input.ts";
import { answers, largeBody, openAiHeaders } from "./openapi.ts";
import { showsTools, thinkingOf } from "./params.ts";
import { type Place, placeOf } from "./place.ts";
import { openResponse, openStatusOf, responseFrame, runIdOfResponse } from "./response-object.ts";
import { responsesConversation } from "./responses-conversation.ts";
import { type ResponsesRequest, response, responsesRequest } from "./responses-schema.ts";
import { responseScript } from "./responses-script.ts";
import { ResponseTelling } from "./responses-telling.ts";
import { beginRun } from "./run.ts";
import { findRun, gatherRun, named, streamRun } from "./stream.ts";

/** How long after its last run a session without a user stays: as long as OpenAI keeps a response, or some minutes. */
const STORED_MS = 30 * 86_400_000;
const LINGER_MS = 600_000;

const createResponseRoute = createRoute({
  method: "post",
  path: "/responses",
  summary: "OpenAI: a response by an agent",
  description: [
    "As `POST /v1/chat/completions` does: the same models, headers, files, repetitions and approvals.",
    "`previous_response_id` goes on in that response's session, as it is now. With `user`, or the header " +
      "`x-isopod-session-key`, the session is one that stays; of `input` only what comes after the last answer is said " +
      "to it. Without any of them a session begins, to which earlier items are quoted. It is deleted 30 days after its " +
      "last run, or ten minutes after where `store` is false.",
    "Each message of the run is an item of the output. Thoughts are shown where `reasoning.summary` is given, and the " +
      "agent's own tool calls with `x-isopod-tools: show`: as `mcp_call` items of the server `isopod`, with their " +
      "output, which no client tries to run.",
    "With `background` the answer is there at once, `queued` or `in_progress`, and `GET /v1/responses/{id}` tells more. " +
      "`instructions` are told to the model of this run only.",
    "Taken, without making a difference: `temperature`, `top_p`, `max_output_tokens`, `max_tool_calls`, `truncation`, " +
      "`include`, `service_tier`, and whatever is not named.",
  ].join("\n\n"),
  middleware: largeBody,
  request: {
    headers: openAiHeaders,
    body: { required: true, content: { "application/json": { schema: responsesRequest } } },
  },
  responses: answers(response, "The response; with `stream`, its events"),
});

/** `POST /v1/responses`. */
export const openAiResponsesRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onOpenAiInvalid });

openAiResponsesRoutes.openapi(createResponseRoute, async (c) => {
  const body = c.req.valid("json");
  const place = await placeOfResponse(c, body);
  const said = saidNow(responsesConversation(body), place.sessionKey !== undefined, "input");
  const input = await inputOf(c, place.agentId, said, thinkingOf(body.reasoning?.effort));
  const run = await beginRun(c, { place, input, lingerMs: body.store === false ? LINGER_MS : STORED_MS, body });
  const { runId, accepted, isAlone } = run;
  const frame = responseFrame({ runId, agentId: place.agentId, acceptedAt: accepted.acceptedAt }, body);
  const telling = new ResponseTelling(frame, {
    showsTools: showsTools(c.req.header("x-isopod-tools"), body.isopod),
    showsReasoning: Boolean(body.reasoning?.summary),
  });
  if (body.stream) {
    return streamRun(c, { ...run, endsWithReader: isAlone && !body.background }, responseScript(telling));
  }
  if (body.background) {
    await run.events.cancel();
    const status = openStatusOf(await findRun(c, runId)) ?? "in_progress";
    return named(c.json(openResponse(frame, status), 200), run);
  }
  const { told, ending } = await gatherRun(c, run);
  if (ending.kind === "failed") return named(problemResponse(problemOfRun(ending.error)), run);
  for (const one of [...told, ending]) telling.of(one);
  return named(c.json(telling.response, 200), run);
});

/** Where a request belongs: in the session of the response that it follows, or wherever it says. */
async function placeOfResponse(c: Context<AppEnv>, body: ResponsesRequest): Promise<Place> {
  const { model, user, previous_response_id: previous } = body;
  const place = placeOf({ model, user, header: (name) => c.req.header(name) }, c.get("services").config);
  if (!previous) return place;
  const view = await findRun(c, runIdOfResponse(previous)).catch((error: unknown) => {
    if (!(error instanceof IsopodError) || error.code !== "not_found") throw error;
    const message = `Previous response with id '${previous.slice(0, 80)}' not found`;
    const details = { param: "previous_response_id", reason: "previous_response_not_found" };
    throw new IsopodError("invalid_request", message, undefined, details);
  });
  if (model !== "isopod" && view.agentId !== place.agentId) {
    const message = `previous_response_id: that response is of agent '${view.agentId}', not '${place.agentId}'`;
    throw new IsopodError("invalid_request", message, undefined, { param: "previous_response_id" });
  }
  return { agentId: view.agentId, sessionKey: view.sessionKey };
}
