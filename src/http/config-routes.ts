import { createRoute, z } from "@hono/zod-openapi";
import { MAX_DOCUMENT_BYTES } from "../config/store.ts";
import { wholeNumber } from "./query-schema.ts";
import { smallBody } from "./request-body.ts";

const flag = z.enum(["true", "false"]).default("false");
const revisionNumber = z.int().openapi({ description: "1, 2, 3 …; 0 where nothing is stored." });
const document = z.record(z.string(), z.unknown()).openapi({
  description:
    "As it was given: without defaults. `[redacted]` stands for headers and other texts that may be secret; sent back, it leaves them as they are.",
});
const changed = z
  .array(z.string())
  .openapi({ description: "The paths that differ.", example: ["agents.list[1].model"] });
const faults = z.array(z.object({ path: z.string(), message: z.string() }));
const ifMatch = z.object({
  "if-match": z.string().optional().openapi({
    description: 'The revision that the change is made from, as `"3"`; `*` for whichever is there. It has to be given.',
  }),
});
const changeQuery = z.strictObject({
  dryRun: flag.openapi({ description: "Says what would change, and stores nothing." }),
  note: z.string().max(500).optional().openapi({ description: "Why; it stays with the revision." }),
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
  200: { description: "Changed, or what would be", content: { "application/json": { schema: change } } },
};

/** A document as a body: JSON, or JSON5. It is read by hand, so that a comment is no mistake. */
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
    "The newest revision, its number also as `ETag`. Where it is not valid any more, `faults` says why, and an older one " +
    "is in force. Works also where nothing else does because the configuration is not valid.",
  request: {
    query: z.strictObject({
      effective: flag.openapi({ description: "Also gives what is in force, with every default." }),
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
                description: "Whether it is stored, the variable ISOPOD_CONFIG, or nothing but defaults.",
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
  `At most ${MAX_DOCUMENT_BYTES} bytes, JSON or JSON5. It is stored only where all of it is valid: 400 names each wrong ` +
  "field in `faults`, and what was in force stays so. 412 with `currentRevision` where somebody was faster, 428 " +
  "without `If-Match`.";

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
  description: `A JSON merge patch (RFC 7396): \`null\` takes a field away, and a list takes the place of the list. ${CHANGED}`,
  request: { headers: ifMatch, query: changeQuery },
  responses: changeResponses,
});

/** `GET /v1/config/history`. */
export const historyRoute = createRoute({
  method: "get",
  path: "/config/history",
  summary: "The revisions of the configuration, the newest first",
  description: "The last 200 are kept.",
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
  summary: "Go back to an earlier revision of the configuration",
  description: `Stores its document once more, as a new revision; 0 is what the variable ISOPOD_CONFIG says. ${CHANGED}`,
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
