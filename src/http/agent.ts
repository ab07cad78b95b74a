import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { agentOf, defaultAgentId } from "../config/agents.ts";
import { newRunId } from "../config/session-ids.ts";
import { mainSessionKey, parseSessionKey, placeOf } from "../config/session-key.ts";
import { shortDigest } from "../lib/digest.ts";
import { IsopodError } from "../lib/errors.ts";
import { callSession } from "../session/api.ts";
import { callerKey, MAX_EXTRA_CONTEXT_CHARS, requestInput, runRequest } from "../session-store/run-request.ts";
import { shownFiles } from "../turn/inbox.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { checkedByNewest } from "./newest-services.ts";
import { keepFiles } from "./openai/files.ts";
import { wholeNumber } from "./query-schema.ts";
import { accepted, runError } from "./run-schema.ts";
import { sse } from "./server-sent-events.ts";
import { runAddress, sessionAddress } from "./session-lookup.ts";

/** Largest body of a run request, in bytes. */
const MAX_BODY_BYTES = 15 * 1024 * 1024;
const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 300_000;

const attachment = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  mediaType: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, "write a media type, such as image/png")
    .default("application/octet-stream"),
  data: z.string().min(1).openapi({ description: "The bytes in base64, or a `data:` URL." }),
});

const agentRequest = runRequest
  .extend({
    agentId: z.string().optional().openapi({ description: "Which agent; the default agent where absent." }),
    sessionKey: z.string().optional().openapi({ description: "Which session; the agent's main one where absent." }),
    extraContext: z
      .string()
      .max(MAX_EXTRA_CONTEXT_CHARS)
      .optional()
      .openapi({ description: "More for the model to know in this run only; it is not part of the conversation." }),
    attachments: z.array(attachment).max(10).optional().openapi({
      description:
        "Files; they are stored below `inbox/` of the workspace, and models see images, and PDFs and recordings if they take them.",
    }),
  })
  .openapi("AgentRequest");

const agentRoute = createRoute({
  method: "post",
  path: "/agent",
  summary: "Accept a run",
  description:
    "Answers as soon as the input is stored, before the model is called. The same idempotency key with the same " +
    "message is the same run; with another message it is a conflict (409).",
  middleware: bodyLimit({ maxSize: MAX_BODY_BYTES }),
  request: { body: { required: true, content: { "application/json": { schema: agentRequest } } } },
  responses: {
    202: {
      description: "Stored; with `Accept: text/event-stream` the body streams the run's events to the last one",
      content: { "application/json": { schema: accepted }, "text/event-stream": { schema: z.string() } },
    },
  },
});

const waitRoute = createRoute({
  method: "get",
  path: "/agent/wait",
  summary: "Wait for a run to end",
  request: {
    query: z.strictObject({
      runId: z.string(),
      timeoutMs: wholeNumber({ min: 0, max: MAX_WAIT_MS }).default(DEFAULT_WAIT_MS),
    }),
  },
  responses: {
    200: {
      description: "The outcome; `timeout` means only that the wait ran out",
      content: {
        "application/json": {
          schema: z
            .object({
              status: z.enum(["ok", "error", "timeout"]),
              startedAt: z.int().optional(),
              endedAt: z.int().optional(),
              error: runError.optional(),
            })
            .openapi("WaitResult"),
        },
      },
    },
  },
});

/** `POST /v1/agent` and `GET /v1/agent/wait`. */
export const agentRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

agentRoutes.openapi(agentRoute, async (c) => {
  const request = c.req.valid("json");
  const { sessionKey, agentId, configRevision, input } = await checkedByNewest(c, (services) => {
    const sessionKey = request.sessionKey ?? mainSessionKey(request.agentId ?? defaultAgentId(services.config));
    const { agentId } = parseSessionKey(sessionKey);
    if (request.agentId !== undefined && request.agentId !== agentId) {
      throw new IsopodError(
        "invalid_request",
        `sessionKey: it belongs to agent '${agentId}', not '${request.agentId}'`,
      );
    }
    return {
      sessionKey,
      agentId,
      configRevision: services.revision,
      input: requestInput(request, { agentId, place: placeOf(sessionKey) }, services),
    };
  });
  const { idempotencyKey, extraContext, attachments = [] } = request;
  const kept = await keepAttachments(c, agentId, attachments);
  const text = [input.text, ...kept.map(({ note }) => note)].join("\n\n");
  const address = await sessionAddress(c, sessionKey);
  const runId = newRunId(address.name, Date.now());
  const accept = {
    sessionKey,
    agentId,
    runId,
    ...(idempotencyKey !== undefined && {
      idempotencyKey: callerKey(idempotencyKey),
      inputDigest: await shortDigest(text),
    }),
    configRevision,
    input: {
      ...input,
      ...(kept.length > 0 && { text, ...shownFiles(kept) }),
      ...(extraContext !== undefined && { extraContext }),
    },
  };
  if (!c.req.header("Accept")?.includes("text/event-stream")) {
    return c.json(await callSession(c.env, address, (session) => session.accept(accept)), 202);
  }
  const { events } = await callSession(c.env, address, (session) => session.acceptAndFollow(accept));
  return sse(events, 202);
});

/** Stores the files of a request in the workspace. @throws IsopodError naming the one that is wrong */
async function keepAttachments(
  c: Context<AppEnv>,
  agentId: string,
  attachments: readonly z.infer<typeof attachment>[],
) {
  if (attachments.length === 0) return [];
  const { config, workspaceOf } = c.get("services");
  const files = attachments.map(({ name, mediaType, data }, at) => ({
    param: `attachments[${at}]`,
    url: data.startsWith("data:") ? data : `data:${mediaType};base64,${data}`,
    ...(name !== undefined && { name }),
  }));
  return keepFiles(files, workspaceOf(agentOf(config, agentId)));
}

agentRoutes.openapi(waitRoute, async (c) => {
  const { runId, timeoutMs } = c.req.valid("query");
  const until = Date.now() + timeoutMs;
  const result = await callSession(c.env, runAddress(runId), (session) =>
    session.wait(runId, Math.max(0, until - Date.now())),
  );
  if (result === undefined) throw new IsopodError("not_found", `There is no run '${runId}'`);
  return c.json(result, 200);
});
