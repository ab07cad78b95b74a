import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { IsopodError } from "../lib/errors.ts";
import { callSession } from "../session/api.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { deliveryView, lostDeliveries, runView } from "./run-schema.ts";
import { eventCursor, lastEventId, sse } from "./server-sent-events.ts";
import { noSuchRun, runAddress, sessionAddress } from "./session-lookup.ts";

const params = z.object({ id: z.string().openapi({ description: "The runId." }) });

const showRoute = createRoute({
  method: "get",
  path: "/runs/{id}",
  summary: "A run as it stands",
  request: { params, query: z.strictObject({}) },
  responses: { 200: { description: "The run", content: { "application/json": { schema: runView } } } },
});

const eventsRoute = createRoute({
  method: "get",
  path: "/runs/{id}/events",
  summary: "Stream the events of a run",
  description:
    "Resumes after `Last-Event-ID` or `after`, and closes after the run's last event. 410 where events after the " +
    "cursor were deleted, as for a session.",
  request: { params, query: eventCursor },
  responses: { 200: { description: "Events", content: { "text/event-stream": { schema: z.string() } } } },
});

const abortRoute = createRoute({
  method: "post",
  path: "/runs/{id}/abort",
  summary: "Stop a run, queued or running",
  description: "Idempotent; a run that has ended stays as it is.",
  request: { params, query: z.strictObject({}) },
  responses: {
    200: {
      description: "Its status now",
      content: { "application/json": { schema: z.object({ runId: z.string(), status: runView.shape.status }) } },
    },
  },
});

const resendRoute = createRoute({
  method: "post",
  path: "/runs/{id}/deliveries/{deliveryId}/resend",
  summary: "Send a part of a reply again",
  description: "For a delivery that is `failed` or `unsure`; any other stays as it is.",
  request: { params: params.extend({ deliveryId: z.string() }), query: z.strictObject({}) },
  responses: { 200: { description: "The delivery", content: { "application/json": { schema: deliveryView } } } },
});

const lostRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/deliveries",
  summary: "What did not arrive, or may not have",
  description: "The newest 50 deliveries that are `failed` or `unsure`, oldest first.",
  request: {
    params: z.object({ key: z.string().openapi({ description: "The session's key." }) }),
    query: z.strictObject({}),
  },
  responses: {
    200: { description: "The deliveries", content: { "application/json": { schema: lostDeliveries } } },
  },
});

/** `/v1/runs`. */
export const runRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

runRoutes.openapi(showRoute, async (c) => {
  const { id } = c.req.valid("param");
  const view = await callSession(c.env, runAddress(id), (session) => session.show(id));
  if (view === undefined) throw noSuchRun(id);
  return c.json(view, 200);
});

runRoutes.openapi(eventsRoute, async (c) => {
  const { id } = c.req.valid("param");
  const after = c.req.valid("query").after ?? lastEventId(c.req.header("Last-Event-ID"));
  const stream = await callSession(c.env, runAddress(id), (session) => session.runEvents(id, after));
  if (stream === undefined) throw noSuchRun(id);
  return sse(stream);
});

runRoutes.openapi(abortRoute, async (c) => {
  const { id } = c.req.valid("param");
  const status = await callSession(c.env, runAddress(id), (session) => session.abort(id));
  if (status === undefined) throw noSuchRun(id);
  return c.json({ runId: id, status }, 200);
});

runRoutes.openapi(resendRoute, async (c) => {
  const { id, deliveryId } = c.req.valid("param");
  const request = { runId: id, deliveryId, askedAt: Date.now() };
  const delivery = await callSession(c.env, runAddress(id), (session) => session.resend(request));
  if (delivery === undefined) {
    throw new IsopodError("not_found", `The run has no delivery '${deliveryId}'`, "GET /v1/runs/:id lists them.");
  }
  return c.json(delivery, 200);
});

runRoutes.openapi(lostRoute, async (c) => {
  const address = await sessionAddress(c, c.req.valid("param").key);
  const deliveries = await callSession(c.env, address, (session) => session.lostDeliveries());
  return c.json({ deliveries: deliveries ?? [] }, 200);
});
