import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { defaultAgentId } from "../config/agents.ts";
import { AUDIT_KINDS } from "../security/audit-entry.ts";
import { exportAudit, pageOfAudit } from "../session-store/audit-trail.ts";
import { readList } from "./bookmarks.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { DATA_HEADERS } from "./file-response.ts";
import { listQuery, nextPage, wholeNumber } from "./query-schema.ts";
import { streamContent } from "./stream-content.ts";

const kind = z.enum(AUDIT_KINDS);

const entry = z
  .object({
    id: z.string(),
    at: z.int().openapi({ description: "Milliseconds since the epoch." }),
    kind: z.string(),
    agentId: z.string(),
    sessionKey: z.string(),
    runId: z.string().nullable(),
    by: z.string().openapi({ description: "The plugin, or the sender of a command." }),
    subject: z.string().openapi({ description: "What was changed: a section, a model, a tool call, a command." }),
    bytesBefore: z.int().nullable(),
    bytesAfter: z.int().nullable(),
    hash: z.string().nullable().openapi({ description: "SHA-256 of the new content, hex." }),
    detail: z.string().nullable(),
  })
  .openapi("AuditEntry");

const listRoute = createRoute({
  method: "get",
  path: "/audit",
  summary: "List what happened: runs, refusals, approvals, logins, tokens, pairings, changes; the latest first",
  description: "Sizes and digests, never content. Entries appear after a short delay.",
  request: {
    query: z.strictObject({
      agentId: z.string().optional().openapi({ description: "Which agent; the default agent where absent." }),
      kind: kind.optional(),
      ...listQuery,
    }),
  },
  responses: {
    200: {
      description: "One page",
      content: {
        "application/json": { schema: z.object({ entries: z.array(entry), before: z.string().optional() }) },
      },
    },
  },
});

/** `/v1/audit`. */
export const auditRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

auditRoutes.openapi(listRoute, async (c) => {
  const { agentId = defaultAgentId(c.get("services").config), kind, limit, before } = c.req.valid("query");
  const entries = await readList(c, (database) => pageOfAudit(database, { agentId, kind, limit, before }));
  return c.json({ entries, ...nextPage(entries, limit, ({ at, id }) => ({ at, key: id })) }, 200);
});

const exportRoute = createRoute({
  method: "get",
  path: "/audit/export",
  summary: "Export the audit trail as JSON Lines, the latest first",
  request: {
    query: z.strictObject({
      agentId: z.string().optional().openapi({ description: "Which agent; the default agent where absent." }),
      since: wholeNumber({ min: 0 }).default(0).openapi({ description: "Milliseconds since the epoch." }),
    }),
  },
  responses: { 200: { description: "One entry a line", content: streamContent("application/x-ndjson") } },
});

auditRoutes.openapi(exportRoute, async (c) => {
  const { agentId = defaultAgentId(c.get("services").config), since } = c.req.valid("query");
  const lines = exportAudit(c.env.DB, agentId, since);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await lines.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
  const headers = { ...DATA_HEADERS, "Content-Type": "application/x-ndjson" };
  return new Response(body, { headers: { ...headers, "Content-Disposition": 'attachment; filename="audit.jsonl"' } });
});
