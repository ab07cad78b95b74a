import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../context.ts";
import { checkedByNewest } from "../newest-services.ts";
import { type ChatRequest, chatCompletion, chatRequest } from "./chat-schema.ts";
import { type ChatFrame, chatCompletionFrom, chatStreamFormat } from "./chat-stream.ts";
import { answerFormat, clientWishes, type RequestedWishes } from "./client-tools.ts";
import { chatConversation, newInput, withFormat } from "./conversation.ts";
import { onOpenAiInvalid, problemResponse, runProblem } from "./errors.ts";
import { collectRun, streamRun, withRequestId } from "./follow-run.ts";
import { modelId } from "./models.ts";
import { requestSession } from "./request-session.ts";
import { largeBody, openAiHeaders, responsesOf, showsTools, thinkingLevel } from "./shared-schema.ts";
import { runInput, type StartedRun, startRun } from "./start-run.ts";

/** How long a single-request session stays after its run, so that a retry still gets its answer. */
const SINGLE_REQUEST_EXPIRY_MS = 600_000;

const chatRoute = createRoute({
  method: "post",
  path: "/chat/completions",
  summary: "OpenAI: a chat completion by an agent",
  description: [
    "The agent answers with its own tools, and its session keeps the conversation. With `user`, or the header " +
      "`x-isopod-session-key`, the session is permanent, and only the `messages` after the last answer are added to " +
      "it. Without them, the request has a session of its own, in which earlier messages are quoted; it is deleted " +
      "ten minutes after the run.",
    "System and developer messages are for the model of this run only. Images and files come as data: URLs and are " +
      "stored in the workspace's `inbox/`.",
    "`tools` are offered to the model beside the agent's own, whose names they may not have. A call of one of them ends " +
      "the answer with `finish_reason: tool_calls`; the next request brings the results as `tool` messages, in the same " +
      "session, or with the messages before them. With `response_format` the content is the last message alone, checked " +
      "as JSON and against the schema; the model is asked once more where it is not valid, then the run fails.",
    "The content is the text of all messages of the run, with a blank line between them. The agent's tool calls are " +
      "left out. With `x-isopod-tools: show`, a chunk has them as `isopod.tool`, and an answer that does not stream " +
      "as `isopod.tools`: never as `tool_calls`, which a client would try to run.",
    "A streamed answer survives restarts of the Worker. Text that was sent cannot be taken back: where the model " +
      "answers differently after a restart, a line says so, and the answer starts again.",
    "A run that waits for an approval is answered with the question, and continues once it is decided. When the " +
      "reader of a stream disconnects, a run with a session of its own stops; any other run continues.",
    "A request with the same `Idempotency-Key` is the same run. Official clients send no key when they retry a " +
      "request by themselves: a retry is recognized by its content and its retry count.",
    "Accepted and ignored: `temperature`, `top_p`, `max_tokens`, `max_completion_tokens`, `stop`, `seed`, `store`, " +
      "`metadata`, penalties, `logit_bias`, `service_tier`, `verbosity`, and all other fields.",
  ].join("\n\n"),
  middleware: largeBody,
  request: {
    headers: openAiHeaders,
    body: { required: true, content: { "application/json": { schema: chatRequest } } },
  },
  responses: responsesOf(chatCompletion, "The answer; with `stream`, as chunks that end with `data: [DONE]`"),
});

/** `POST /v1/chat/completions`. */
export const openAiChatRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onOpenAiInvalid });

openAiChatRoutes.openapi(chatRoute, async (c) => {
  const body = c.req.valid("json");
  const header = (name: string) => c.req.header(name);
  const selector = { model: body.model, user: body.user, header };
  const session = await checkedByNewest(c, ({ config }) => requestSession(selector, config));
  const client = await checkedByNewest(c, (services) => clientWishes(chatWishes(body), services));
  const said = chatConversation(body.messages);
  const conversation = newInput(withFormat(said, client), session.sessionKey !== undefined, "messages");
  const thinking = thinkingLevel(body.reasoning_effort);
  const input = await runInput(c, session.agentId, conversation, { thinking, client });
  const run = await startRun(c, { session, input, expiryMs: SINGLE_REQUEST_EXPIRY_MS, body });
  const frame = chatFrame(run, body, session.agentId, showsTools(header("x-isopod-tools"), body.isopod));
  if (body.stream) return streamRun(c, { ...run, abortOnDisconnect: run.isSingleRequest }, chatStreamFormat(frame));
  const { updates, final } = await collectRun(c, run);
  if (final.kind === "failed") return withRequestId(problemResponse(runProblem(final.error)), run);
  return withRequestId(c.json(chatCompletionFrom(frame, updates), 200), run);
});

function chatWishes({ tools, tool_choice: choice, response_format: given }: ChatRequest): RequestedWishes {
  return {
    tools: (tools ?? []).map((tool) => tool.function),
    nameParam: (index) => `tools[${index}].function.name`,
    choice,
    format: answerFormat(given?.type, given?.type === "json_schema" ? given.json_schema : undefined),
    formatParam: "response_format.json_schema.schema",
  };
}

function chatFrame(run: StartedRun, body: ChatRequest, agentId: string, shows: boolean): ChatFrame {
  return {
    id: `chatcmpl-${run.runId.slice("run_".length)}`,
    created: Math.floor(run.accepted.acceptedAt / 1000),
    model: modelId(agentId),
    showsTools: shows,
    includesUsage: body.stream_options?.include_usage === true,
  };
}
