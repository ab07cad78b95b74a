import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { and, desc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { objectNameOf } from "../config/session-ids.ts";
import { runs, sessions } from "../db/schema.ts";
import { callSession } from "../session/api.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { eventCursor, lastEventId, sse } from "./event-source.ts";
import { checkedKey, isAlwaysThere, known, sessionParam as params } from "./known-session.ts";
import { listedAfter, listQuery, nextPage } from "./list-cursor.ts";
import { historyPage } from "./message-schema.ts";
import { wholeNumber } from "./whole-number.ts";

const pageQuery = {
  limit: wholeNumber({ min: 1, max: 200 }).default(50),
  before: wholeNumber({ min: 0 }).optional().openapi({ description: "Go on from the `before` of the last page." }),
};

const indexedRun = z
  .object({
    id: z.string(),
    sessionKey: z.string(),
    agentId: z.string(),
    status: z.string(),
    model: z.string().nullable(),
    errorCode: z.string().nullable(),
    acceptedAt: z.int(),
    startedAt: z.int().nullable(),
    endedAt: z.int().nullable(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    costMicros: z.int().nullable().openapi({ description: "Estimated cost in millionths of a US dollar." }),
  })
  .openapi("IndexedRun");

const listRoute = createRoute({
  method: "get",
  path: "/sessions",
  summary: "All sessions, the latest first",
  request: { query: z.strictObject({ agentId: z.string().optional(), ...listQuery }) },
  responses: {
    200: {
      description: "One page",
      content: {
        "application/json": {
          schema: z.object({
            sessions: z.array(
              z
                .object({
                  key: z.string(),
                  agentId: z.string(),
                  sessionId: z.string(),
                  createdAt: z.int(),
                  updatedAt: z.int(),
                  lastRunId: z.string(),
                  lastStatus: z.string(),
                  spawnedBy: z.string().nullable().openapi({ description: "Of a sub-agent: who started it." }),
                })
                .openapi("Session"),
            ),
            before: z.string().optional(),
          }),
        },
      },
    },
  },
});

const runsRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/runs",
  summary: "The runs of a session, the latest first",
  request: { params, query: z.strictObject(listQuery) },
  responses: {
    200: {
      description: "One page",
      content: {
        "application/json": { schema: z.object({ runs: z.array(indexedRun), before: z.string().optional() }) },
      },
    },
  },
});

const historyRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/history",
  summary: "The transcript of a session",
  description:
    "The newest messages before `before`, oldest first, and fewer than `limit` where they are large; `cursor` is where " +
    "to go on with its events. An agent's main session is empty before its first message, any other is not found.",
  request: { params, query: z.strictObject(pageQuery) },
  responses: {
    200: {
      description: "One page",
      content: {
        "application/json": {
          schema: historyPage,
        },
      },
    },
  },
});

const eventsRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/events",
  summary: "What happens in a session, as server-sent events",
  description:
    "Resumes after `Last-Event-ID` or `after`; begins with what comes next where neither is given, and at 0 with the " +
    "oldest that is kept. Events other than messages are cleared away after 7 days, or when there are more than 5,000 " +
    "rows of them: a cursor before that is answered 410 with the oldest one that is good, `error.oldestCursor`.",
  request: { params, query: eventCursor },
  responses: { 200: { description: "Events", content: { "text/event-stream": { schema: z.string() } } } },
});

const abortRoute = createRoute({
  method: "post",
  path: "/sessions/{key}/abort",
  summary: "Stop everything that a session does",
  description: "Stops the run at work and those that wait; may be repeated.",
  request: { params, query: z.strictObject({}) },
  responses: {
    200: {
      description: "The runs that were stopped",
      content: { "application/json": { schema: z.object({ runIds: z.array(z.string()) }) } },
    },
  },
});

/** `/v1/sessions`. */
export const sessionRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

sessionRoutes.openapi(listRoute, async (c) => {
  const { agentId, limit, before } = c.req.valid("query");
  const rows = await drizzle(c.env.DB)
    .select()
    .from(sessions)
    .where(
      and(
        agentId === undefined ? undefined : eq(sessions.agentId, agentId),
        listedAfter(sessions.updatedAt, sessions.key, before),
      ),
    )
    .orderBy(desc(sessions.updatedAt), desc(sessions.key))
    .limit(limit);
  return c.json({ sessions: rows, ...nextPage(rows, limit, (row) => ({ at: row.updatedAt, key: row.key })) }, 200);
});

sessionRoutes.openapi(runsRoute, async (c) => {
  const { limit, before } = c.req.valid("query");
  const key = checkedKey(c.req.valid("param").key);
  const rows = await drizzle(c.env.DB)
    .select()
    .from(runs)
    .where(and(eq(runs.sessionKey, key), listedAfter(runs.acceptedAt, runs.id, before)))
    .orderBy(desc(runs.acceptedAt), desc(runs.id))
    .limit(limit);
  if (rows.length === 0 && !isAlwaysThere(key, c.get("services").config)) {
    const find = async () => callSession(c.env.SESSIONS, await objectNameOf(key), (session) => session.history(1, 1));
    known(await find(), key);
  }
  return c.json({ runs: rows, ...nextPage(rows, limit, (row) => ({ at: row.acceptedAt, key: row.id })) }, 200);
});

sessionRoutes.openapi(historyRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const { limit, before } = c.req.valid("query");
  const history = await callSession(c.env.SESSIONS, await objectNameOf(key), (session) =>
    session.history(limit, before),
  );
  if (history === undefined && isAlwaysThere(key, c.get("services").config)) return c.json(EMPTY, 200);
  return c.json(known(history, key), 200);
});

sessionRoutes.openapi(eventsRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const header = c.req.header("Last-Event-ID");
  const after = c.req.valid("query").after ?? (header === undefined ? undefined : lastEventId(header));
  const orWait = isAlwaysThere(key, c.get("services").config);
  const events = await callSession(c.env.SESSIONS, await objectNameOf(key), (session) => session.events(after, orWait));
  return sse(known(events, key));
});

sessionRoutes.openapi(abortRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const runIds = await callSession(c.env.SESSIONS, await objectNameOf(key), (session) => session.abortAll());
  return c.json({ runIds: known(runIds, key) }, 200);
});

const EMPTY = { messages: [], cursor: 0 };
