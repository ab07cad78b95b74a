import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import { NO_USAGE } from "../../models/message.ts";
import type { AppEnv } from "../context.ts";
import { chatConversation } from "./chat-conversation.ts";
import {
  type ChatChunk,
  type ChatCompletion,
  type ChatRequest,
  chatCompletion,
  chatRequest,
  type ShownTool,
} from "./chat-schema.ts";
import { type ChatFrame, ChatTelling, chatUsage } from "./chat-telling.ts";
import { saidNow } from "./conversation.ts";
import { onOpenAiInvalid, problemOf, problemOfRun, problemResponse } from "./errors.ts";
import { inputOf } from "./input.ts";
import { modelOf } from "./models.ts";
import { answers, largeBody, openAiHeaders } from "./openapi.ts";
import { showsTools, thinkingOf } from "./params.ts";
import { placeOf } from "./place.ts";
import { type BegunRun, beginRun } from "./run.ts";
import { gatherRun, named, type Script, streamRun } from "./stream.ts";
import type { Told } from "./telling.ts";

/** How long the session of one request stays after its run, so that the request can be repeated for its answer. */
const LINGER_MS = 600_000;

const chatRoute = createRoute({
  method: "post",
  path: "/chat/completions",
  summary: "OpenAI: a chat completion by an agent",
  description: [
    "The agent answers, with its own tools, and its session remembers. With `user`, or the header " +
      "`x-isopod-session-key`, the session is one that stays, and of `messages` only those after the last answer are " +
      "said to it. Without, the request has a session to itself, to which earlier messages are quoted; it is deleted " +
      "ten minutes after the run.",
    "System and developer messages are told to the model of this run only. Images and files come as data: URLs and " +
      "are kept in the workspace's `inbox/`.",
    "The texts of all messages of the run are the content, a blank line between them. The agent's tool calls are not " +
      "shown; with `x-isopod-tools: show` each chunk of one has `isopod.tool`, and an answer that does not stream " +
      "`isopod.tools`: never `tool_calls`, which a client would try to run.",
    "A streamed answer goes on over restarts of the Worker. What was said before one cannot be taken back: where the " +
      "model says something else then, a line says so and the answer begins anew.",
    "A run that waits for a person is answered with what it waits for, and goes on once it is told. A reader that " +
      "hangs up stops a streamed run in a session of its own; any other run goes on.",
    "A request with the same `Idempotency-Key` is the same run. Official clients send none when they repeat a " +
      "request by themselves: theirs is known by its content and its count of tries.",
    "Taken, without making a difference: `temperature`, `top_p`, `max_tokens`, `max_completion_tokens`, `stop`, " +
      "`seed`, `store`, `metadata`, penalties, `logit_bias`, `service_tier`, `verbosity`, and whatever is not named.",
  ].join("\n\n"),
  middleware: largeBody,
  request: {
    headers: openAiHeaders,
    body: { required: true, content: { "application/json": { schema: chatRequest } } },
  },
  responses: answers(chatCompletion, "The answer; with `stream`, as chunks that end with `data: [DONE]`"),
});

/** `POST /v1/chat/completions`. */
export const openAiChatRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onOpenAiInvalid });

openAiChatRoutes.openapi(chatRoute, async (c) => {
  const body = c.req.valid("json");
  const header = (name: string) => c.req.header(name);
  const place = placeOf({ model: body.model, user: body.user, header }, c.get("services").config);
  const said = saidNow(chatConversation(body.messages), place.sessionKey !== undefined, "messages");
  const input = await inputOf(c, place.agentId, said, thinkingOf(body.reasoning_effort));
  const run = await beginRun(c, { place, input, lingerMs: LINGER_MS, body });
  const frame = frameOf(run, body, place.agentId, showsTools(header("x-isopod-tools"), body.isopod));
  if (body.stream) return streamRun(c, { ...run, endsWithReader: run.isAlone }, chatScript(frame));
  const { told, ending } = await gatherRun(c, run);
  if (ending.kind === "failed") return named(problemResponse(problemOfRun(ending.error)), run);
  return named(c.json(completionOf(frame, [...told, ending]), 200), run);
});

function frameOf(run: BegunRun, body: ChatRequest, agentId: string, shows: boolean): ChatFrame {
  return {
    id: `chatcmpl-${run.runId.slice("run_".length)}`,
    created: Math.floor(run.accepted.acceptedAt / 1000),
    model: modelOf(agentId),
    showsTools: shows,
    includesUsage: body.stream_options?.include_usage === true,
  };
}

/** How a chat completion is streamed: chunks, then `[DONE]`. */
function chatScript(frame: ChatFrame): Script {
  const telling = new ChatTelling(frame);
  return {
    begin: () => data(telling.begin()),
    of: (told) => {
      if (told.kind === "failed") return data({ error: problemOfRun(told.error).error });
      return telling.of(told).map(data).join("");
    },
    broken: (thrown) => data({ error: problemOf(thrown, "/v1/chat/completions").error }),
    end: () => "data: [DONE]\n\n",
  };
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The chunks of a whole answer as one. */
function completionOf(frame: ChatFrame, told: readonly Told[]): ChatCompletion {
  const telling = new ChatTelling({ ...frame, includesUsage: false });
  const chunks = told.flatMap((one) => telling.of(one));
  const last = told.at(-1);
  const { id, created, model, showsTools } = frame;
  return {
    ...{ id, object: "chat.completion", created, model },
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: chunks.map(contentOf).join(""), refusal: null },
        logprobs: null,
        finish_reason: chunks.at(-1)?.choices[0]?.finish_reason ?? "stop",
      },
    ],
    usage: chatUsage(last !== undefined && "usage" in last ? last.usage : NO_USAGE),
    ...(showsTools && { isopod: { tools: toolsIn(chunks) } }),
  };
}

function contentOf(chunk: ChatChunk): string {
  return chunk.choices[0]?.delta.content ?? "";
}

/** The tool calls that are done, each with its output. */
function toolsIn(chunks: readonly ChatChunk[]): ShownTool[] {
  return chunks.flatMap(({ isopod }) => (isopod?.tool.output === undefined ? [] : [isopod.tool]));
}
