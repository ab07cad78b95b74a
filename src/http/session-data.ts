import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { objectNameOf } from "../config/session-ids.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { IsopodError } from "../lib/errors.ts";
import { callSession } from "../session/api.ts";
import { isSpillId, sessionFolder, spillKey } from "../session-store/spill.ts";
import type { AppEnv } from "./context.ts";
import { DATA_HEADERS } from "./data-headers.ts";
import { onInvalid } from "./errors.ts";
import { checkedKey, isAlwaysThere, known, sessionParam } from "./known-session.ts";

/** A body that is not built here but passed on. */
function stream(mediaType: string): Record<string, { schema: z.ZodString }> {
  return { [mediaType]: { schema: z.string() } };
}

const spillRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/spills/{id}",
  summary: "The whole of a tool's result that was too large for the transcript",
  description: "Its message shows a preview, and in `spill.id` this id. Results over 10 MiB are kept up to there.",
  request: {
    params: sessionParam.extend({ id: z.string().openapi({ description: "The `spill.id` of a message." }) }),
    query: z.strictObject({}),
  },
  responses: { 200: { description: "The text", content: stream("text/plain") } },
});

const exportRoute = createRoute({
  method: "get",
  path: "/sessions/{key}/export",
  summary: "The whole transcript as JSON Lines",
  description:
    "One message a line, oldest first, each like a `Message` of the history. Large results are previews. With `prompts` " +
    "there follows what models were sent besides: a line of `kind` `run` for each run, which names texts by their " +
    "hashes, and one of `kind` `prompt` for each text.",
  request: { params: sessionParam, query: z.strictObject({ prompts: z.enum(["true", "false"]).default("false") }) },
  responses: { 200: { description: "The transcript", content: stream("application/x-ndjson") } },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/sessions/{key}",
  summary: "Delete a session with everything that it left",
  description:
    "Stops its runs, ends its readers, and deletes its transcript, events, deliveries, large results and index " +
    "entries. What has begun is finished, also after a crash: meanwhile there is no such session, and a message to it " +
    "is answered 503. A later message begins a new session under the same key. Deleted again, it is not found.",
  request: { params: sessionParam, query: z.strictObject({}) },
  responses: { 204: { description: "Nothing of it is left" } },
});

/** What a session keeps, as a whole: large results, export, deletion. */
export const sessionDataRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

sessionDataRoutes.openapi(spillRoute, async (c) => {
  const { key, id } = c.req.valid("param");
  const folder = sessionFolder(parseSessionKey(key).agentId, await objectNameOf(key));
  const object = isSpillId(id) ? await c.env.FILES.get(spillKey(folder, id)) : null;
  if (object === null) {
    const hint = "Use the `spill.id` of a message of this session.";
    throw new IsopodError("not_found", `This session has no large result '${id.slice(0, 80)}'`, hint);
  }
  return new Response(object.body, { headers: { ...DATA_HEADERS, "Content-Type": "text/plain; charset=utf-8" } });
});

sessionDataRoutes.openapi(exportRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const transcript = await callSession(c.env.SESSIONS, await objectNameOf(key), (session) =>
    session.export(c.req.valid("query").prompts === "true"),
  );
  const isEmpty = transcript === undefined && isAlwaysThere(key, c.get("services").config);
  const name = `${encodeURIComponent(key)}.jsonl`;
  return new Response(isEmpty ? "" : known(transcript, key), {
    headers: {
      ...DATA_HEADERS,
      "Content-Type": "application/x-ndjson",
      "Content-Disposition": `attachment; filename="${name}"`,
    },
  });
});

sessionDataRoutes.openapi(deleteRoute, async (c) => {
  const key = checkedKey(c.req.valid("param").key);
  const wasThere = await callSession(c.env.SESSIONS, await objectNameOf(key), (session) => session.remove());
  known(wasThere || undefined, key);
  return c.body(null, 204);
});
