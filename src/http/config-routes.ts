import { createRoute, z } from "@hono/zod-openapi";
import { MAX_DOCUMENT_BYTES } from "../config/store.ts";
import { wholeNumber } from "./query-schema.ts";
import { smallBody } from "./request-body.ts";

const flag = z.enum(["true", "false"]).default("false");
const revisionNumber = z.int().openapi({ description: "1, 2, 3 …; 0 where nothing is stored." });
const document = z.record(z.string(), z.unknown()).openapi({
  description:
    "As it was stored: without defaults. `[redacted]` replaces headers and other values that may be secret; sent " +
    "back, it keeps them.",
});
const changed = z.array(z.string()).openapi({ description: "The changed paths.", example: ["agents.list[1].model"] });
const faults = z.array(z.object({ path: z.string(), message: z.string() }));
const ifMatch = z.object({
  "if-match": z.string().optional().openapi({
    description: 'The revision that the change is based on, as `"3"`; `*` for any. Required.',
  }),
});
const changeQuery = z.strictObject({
  dryRun: flag.openapi({ description: "Only report what would change." }),
  note: z.string().max(500).optional().openapi({ description: "A reason, stored with the revision." }),
});

const line = z
  .object({
    revision: z.int(),
    author: z.string().openapi({ example: "api:token" }),
    note: z.string().nullable(),
    changed,
    createdAt: z.int().openapi({ description: "Milliseconds since the epoch." }),
  })
  .openapi("ConfigRevision");

const change = z
  .object({
    revision: revisionNumber,
    changed,
    stored: z.boolean().openapi({ description: "False for a dry run, and where nothing differs." }),
  })
  .openapi("ConfigChange");

const changeResponses = {
  200: {
    description: "The change, or the change that a real run would make",
    content: { "application/json": { schema: change } },
  },
};

/** A document as a body: JSON or JSON5. The handler parses it, because a schema refuses JSON5. */
export const documentBody = (type: "application/json" | "application/merge-patch+json") => ({
  required: true,
  content: { [type]: { schema: z.record(z.string(), z.unknown()) } },
});

/** `GET /v1/config`. */
export const readRoute = createRoute({
  method: "get",
  path: "/config",
  summary: "The configuration",
  description:
    "The newest revision, with its number as `ETag`. Where it is no longer valid, `faults` says why, and an older " +
    "revision is in force. Works with an invalid configuration too.",
  request: {
    query: z.strictObject({
      effective: flag.openapi({ description: "Add the configuration in force, with all defaults." }),
    }),
  },
  responses: {
    200: {
      description: "The configuration",
      content: {
        "application/json": {
          schema: z
            .object({
              revision: revisionNumber,
              source: z.enum(["stored", "environment", "defaults"]).openapi({
                description: "Whether it is stored, in the variable ISOPOD_CONFIG, or only defaults.",
              }),
              inForce: z
                .int()
                .nullable()
                .openapi({ description: "The revision in force; null where none is valid, and nothing runs." }),
              document,
              faults,
              effective: z.record(z.string(), z.unknown()).optional(),
            })
            .openapi("Configuration"),
        },
      },
    },
  },
});

const CHANGED =
  `At most ${MAX_DOCUMENT_BYTES} bytes, JSON or JSON5. Stored only if all of it is valid: otherwise 400 names each wrong ` +
  "field in `faults`, and nothing changes. 412 with `currentRevision` after a concurrent change, 428 without `If-Match`.";

/** `PUT /v1/config`. */
export const replaceRoute = createRoute({
  method: "put",
  path: "/config",
  summary: "Replace the configuration",
  description: CHANGED,
  request: { headers: ifMatch, query: changeQuery },
  responses: changeResponses,
});

/** `PATCH /v1/config`. */
export const patchRoute = createRoute({
  method: "patch",
  path: "/config",
  summary: "Change fields of the configuration",
  description: `A JSON merge patch (RFC 7396): \`null\` removes a field, and a list replaces the whole list. ${CHANGED}`,
  request: { headers: ifMatch, query: changeQuery },
  responses: changeResponses,
});

/** `GET /v1/config/history`. */
export const historyRoute = createRoute({
  method: "get",
  path: "/config/history",
  summary: "List the revisions of the configuration, the newest first",
  description: "Isopod keeps the last 200.",
  request: {
    query: z.strictObject({
      limit: wholeNumber({ min: 1, max: 200 }).default(50),
      before: wholeNumber({ min: 1 }).optional().openapi({ description: "Revisions older than this one." }),
    }),
  },
  responses: {
    200: {
      description: "One page",
      content: {
        "application/json": { schema: z.object({ revisions: z.array(line), before: z.int().optional() }) },
      },
    },
  },
});

/** `GET /v1/config/history/<revision>`. */
export const revisionRoute = createRoute({
  method: "get",
  path: "/config/history/{revision}",
  summary: "One revision of the configuration",
  request: { params: z.object({ revision: wholeNumber({ min: 1 }) }), query: z.strictObject({}) },
  responses: {
    200: {
      description: "With its document",
      content: { "application/json": { schema: line.extend({ document }) } },
    },
  },
});

/** `POST /v1/config/rollback`. */
export const rollbackRoute = createRoute({
  method: "post",
  path: "/config/rollback",
  middleware: smallBody,
  summary: "Restore an earlier revision of the configuration",
  description: `Stores its document as a new revision; 0 is the variable ISOPOD_CONFIG. ${CHANGED}`,
  request: {
    headers: ifMatch,
    query: changeQuery,
    body: {
      required: true,
      content: { "application/json": { schema: z.strictObject({ revision: z.int().min(0) }) } },
    },
  },
  responses: changeResponses,
});
