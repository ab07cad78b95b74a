import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { newObjectName, objectNameOf } from "../config/session-ids.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { sessionLocation } from "../config/session-schema.ts";
import { IsopodError } from "../lib/errors.ts";
import { addressIn } from "../services/session-places.ts";
import { callSession } from "../session/api.ts";
import { forgetSession, pageOfRuns, pageOfSessions } from "../session-store/session-index.ts";
import { deleteFolder, isSpillId, sessionFolder, spillKey } from "../session-store/spill.ts";
import { noteListChange, readList } from "./bookmarks.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { DATA_HEADERS } from "./file-response.ts";
import { historyPage } from "./message-schema.ts";
import { listQuery, nextPage, wholeNumber } from "./query-schema.ts";
import { eventCursor, lastEventId, sse } from "./server-sent-events.ts";
import { checkedKey, isAlwaysThere, sessionParam as params, requireSession, sessionAddress } from "./session-lookup.ts";
import { streamContent } from "./stream-content.ts";

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
                  spawnedBy: z
                    .string()
                    .nullable()
                    .openapi({ description: "For a sub-agent, the session that started it." }),
                  location: z.string().nullable().openapi({
                    description: "Where its object was created: `caller`, a region or a jurisdiction. Null if unknown.",
                  }),
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
    "The newest messages before `before`, oldest first, and fewer than `limit` where they are large; `cursor` is " +
    "where its events continue. An agent's main session is empty before its first message; any other session is 404.",
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
  summary: "Stream the events of a session",
  description:
    "Resumes after `Last-Event-ID` or `after`; without either it starts with the next event, and with 0 at the " +
    "oldest stored one. Events other than messages are deleted after 7 days, or beyond 5,000 rows: an older cursor " +
    "is answered 410 with the oldest valid one, `error.oldestCursor`.",
  request: { params, query: eventCursor },
  responses: { 200: { description: "Events", content: { "text/event-stream": { schema: z.string() } } } },
});

const abortRoute = createRoute({
  method: "post",
  path: "/sessions/{key}/abort",
  summary: "Stop all runs of a session",
  description: "Stops the current run and the queued ones. Idempotent.",
  request: { params, query: z.strictObject({}) },
  responses: {
    200: {
      description: "The runs that were stopped",
      content: { "application/json": { schema: z.object({ runIds: z.array(z.string()) }) } },
    },
  },
});

const spillRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/spills/{id}",
  summary: "Read a tool result that was too large for the transcript",
  description: "Its message has a preview, and this id in `spill.id`. Results are cut at 10 MiB.",
  request: {
    params: params.extend({ id: z.string().openapi({ description: "The `spill.id` of a message." }) }),
    query: z.strictObject({}),
  },
  responses: { 200: { description: "The text", content: streamContent("text/plain") } },
});

const exportRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/export",
  summary: "Export the transcript as JSON Lines",
  description:
    "One message a line, oldest first, each like a `Message` of the history. Large results are previews. `prompts` " +
    "adds the prompts of the runs: a line of `kind` `run` for each run, with the hashes of its texts, and one of " +
    "`kind` `prompt` for each text.",
  request: { params, query: z.strictObject({ prompts: z.enum(["true", "false"]).default("false") }) },
  responses: { 200: { description: "The transcript", content: streamContent("application/x-ndjson") } },
});

const moveRoute = createRoute({
  method: "post",
  path: "/sessions/{key}/move",
  summary: "Move a session to another location",
  description:
    "Copies the session with all that it has into a new object and lets go of it. Readers are disconnected and resume " +
    "at their cursors; a message that comes meanwhile waits. 409 while a run is under way. If the other object does " +
    "not take it, the session stays and the answer is 503. `caller` means near whoever sends this request.",
  request: {
    params,
    query: z.strictObject({}),
    body: {
      required: true,
      content: { "application/json": { schema: z.strictObject({ location: sessionLocation }) } },
    },
  },
  responses: {
    200: {
      description: "The session is there",
      content: { "application/json": { schema: z.object({ key: z.string(), location: sessionLocation }) } },
    },
  },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/sessions/{key}",
  summary: "Delete a session and all its data",
  description:
    "Stops its runs, disconnects its readers, and deletes its transcript, events, deliveries, large results and " +
    "index entries. A started deletion completes even after a crash; meanwhile the session is 404, and a message to " +
    "it 503. A later message starts a new session under the same key. Deleting it again is 404.",
  request: { params, query: z.strictObject({}) },
  responses: { 204: { description: "Deleted" } },
});

/** `/v1/sessions`. */
export const sessionRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

sessionRoutes.openapi(listRoute, async (c) => {
  const { agentId, limit, before } = c.req.valid("query");
  const rows = await readList(c, (database) => pageOfSessions(database, { agentId, limit, before }));
  return c.json({ sessions: rows, ...nextPage(rows, limit, (row) => ({ at: row.updatedAt, key: row.key })) }, 200);
});

sessionRoutes.openapi(runsRoute, async (c) => {
  const { limit, before } = c.req.valid("query");
  const key = checkedKey(c.req.valid("param").key);
  const rows = await readList(c, (database) => pageOfRuns(database, { sessionKey: key, limit, before }));
  if (rows.length === 0 && !isAlwaysThere(key, c.get("services").config)) {
    const find = async () => callSession(c.env, await sessionAddress(c, key), (session) => session.history(1, 1));
    requireSession(await find(), key);
  }
  return c.json({ runs: rows, ...nextPage(rows, limit, (row) => ({ at: row.acceptedAt, key: row.id })) }, 200);
});

sessionRoutes.openapi(historyRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const { limit, before } = c.req.valid("query");
  const history = await callSession(c.env, await sessionAddress(c, key), (session) => session.history(limit, before));
  if (history === undefined && isAlwaysThere(key, c.get("services").config)) return c.json(EMPTY, 200);
  return c.json(requireSession(history, key), 200);
});

sessionRoutes.openapi(eventsRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const header = c.req.header("Last-Event-ID");
  const after = c.req.valid("query").after ?? (header === undefined ? undefined : lastEventId(header));
  const orWait = isAlwaysThere(key, c.get("services").config);
  const events = await callSession(c.env, await sessionAddress(c, key), (session) => session.events(after, orWait));
  return sse(requireSession(events, key));
});

sessionRoutes.openapi(abortRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const runIds = await callSession(c.env, await sessionAddress(c, key), (session) => session.abortAll());
  return c.json({ runIds: requireSession(runIds, key) }, 200);
});

sessionRoutes.openapi(spillRoute, async (c) => {
  const { key, id } = c.req.valid("param");
  const folder = sessionFolder(parseSessionKey(key).agentId, await objectNameOf(key));
  const object = isSpillId(id) ? await c.env.FILES.get(spillKey(folder, id)) : null;
  if (object === null) {
    const hint = "Use the `spill.id` of a message of this session.";
    throw new IsopodError("not_found", `This session has no large result '${id.slice(0, 80)}'`, hint);
  }
  return new Response(object.body, { headers: { ...DATA_HEADERS, "Content-Type": "text/plain; charset=utf-8" } });
});

sessionRoutes.openapi(exportRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const transcript = await callSession(c.env, await sessionAddress(c, key), (session) =>
    session.export(c.req.valid("query").prompts === "true"),
  );
  const isEmpty = transcript === undefined && isAlwaysThere(key, c.get("services").config);
  const name = `${encodeURIComponent(key)}.jsonl`;
  return new Response(isEmpty ? "" : requireSession(transcript, key), {
    headers: {
      ...DATA_HEADERS,
      "Content-Type": "application/x-ndjson",
      "Content-Disposition": `attachment; filename="${name}"`,
    },
  });
});

sessionRoutes.openapi(moveRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const { location } = c.req.valid("json");
  const to = addressIn(await newObjectName(key, location === "eu", Date.now()), location);
  // An object is created where it is called from first, or as its first caller hints.
  await callSession(c.env, to, (session) => session.lineage());
  const isMoved = await callSession(c.env, await sessionAddress(c, key), (session, name) =>
    session.move(name, to.name, location),
  );
  requireSession(isMoved, key);
  return c.json({ key, location }, 200);
});

sessionRoutes.openapi(deleteRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const address = await sessionAddress(c, key);
  const wasThere = await callSession(c.env, address, (session) => session.remove());
  requireSession(wasThere || undefined, key);
  // A session whose database could not be read does not know what it has outside of it.
  await deleteFolder(c.env.FILES, sessionFolder(parseSessionKey(key).agentId, address.name));
  await forgetSession(c.env.DB, key);
  await noteListChange(c);
  return c.body(null, 204);
});

const EMPTY = { messages: [], cursor: 0 };
