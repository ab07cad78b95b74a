import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { defaultAgentId } from "../config/agents.ts";
import { newRunId } from "../config/session-ids.ts";
import { mainSessionKey, parseSessionKey, placeOf } from "../config/session-key.ts";
import { shortDigest } from "../lib/digest.ts";
import { IsopodError } from "../lib/errors.ts";
import { callSession } from "../session/api.ts";
import { callerKey, requestInput, runRequest } from "../session-store/run-request.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { checkedByNewest } from "./newest-services.ts";
import { wholeNumber } from "./query-schema.ts";
import { accepted, runError } from "./run-schema.ts";
import { sse } from "./server-sent-events.ts";
import { runAddress, sessionAddress } from "./session-lookup.ts";

/** Largest body of a run request, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024;
const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 300_000;

const agentRequest = runRequest
  .extend({
    agentId: z.string().optional().openapi({ description: "Which agent; the default agent where absent." }),
    sessionKey: z.string().optional().openapi({ description: "Which session; the agent's main one where absent." }),
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
  const { idempotencyKey } = request;
  const address = await sessionAddress(c, sessionKey);
  const runId = newRunId(address.name, Date.now());
  const accept = {
    sessionKey,
    agentId,
    runId,
    ...(idempotencyKey !== undefined && {
      idempotencyKey: callerKey(idempotencyKey),
      inputDigest: await shortDigest(request.message),
    }),
    configRevision,
    input,
  };
  if (!c.req.header("Accept")?.includes("text/event-stream")) {
    return c.json(await callSession(c.env, address, (session) => session.accept(accept)), 202);
  }
  const { events } = await callSession(c.env, address, (session) => session.acceptAndFollow(accept));
  return sse(events, 202);
});

agentRoutes.openapi(waitRoute, async (c) => {
  const { runId, timeoutMs } = c.req.valid("query");
  const until = Date.now() + timeoutMs;
  const result = await callSession(c.env, runAddress(runId), (session) =>
    session.wait(runId, Math.max(0, until - Date.now())),
  );
  if (result === undefined) throw new IsopodError("not_found", `There is no run '${runId}'`);
  return c.json(result, 200);
});
