import { createRoute, z } from "@hono/zod-openapi";
import { MAX_FILE_BYTES } from "../workspace/workspace.ts";
import { smallBody } from "./request-body.ts";

/** A path parameter with slashes, in the syntax of Hono's router; OpenAPI has none. */
export const REST = "{path{.+}}";

const agentParams = z.object({ id: z.string().openapi({ description: "The agent's id." }) });
const fileParams = agentParams.extend({
  path: z.string().openapi({ description: "A path in the workspace, such as `memory/2026-01-31.md`." }),
});
const noQuery = z.strictObject({});

const file = z
  .object({
    kind: z.literal("file"),
    path: z.string(),
    etag: z.string().openapi({ description: "Without quotes." }),
    size: z.int().openapi({ description: "In bytes." }),
    modifiedAt: z.int().openapi({ description: "Milliseconds since the epoch." }),
    labels: z
      .array(z.string())
      .readonly()
      .optional()
      .openapi({ description: "Where words come from that the owner has not accepted: `host:…`, `stranger:…`." }),
    labelledLines: z.int().optional().openapi({ description: "How many lines they are; absent for the whole file." }),
  })
  .openapi("WorkspaceFile");
const entry = z.discriminatedUnion("kind", [file, z.object({ kind: z.literal("folder"), path: z.string() })]);
const listing = z.object({ entries: z.array(entry) });
const version = z.object({ versionId: z.string(), size: z.int(), replacedAt: z.int() }).openapi("WorkspaceVersion");
const versions = z.object({ versions: z.array(version) });
const replaced = z
  .object({
    path: z.string(),
    deleted: z.boolean().openapi({ description: "Whether the file is deleted." }),
    versions: z.int().openapi({ description: "The number of earlier versions." }),
    newest: version,
  })
  .openapi("ReplacedFile");
const bytes = { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } };

export type WorkspaceListing = z.infer<typeof listing>;
export type WorkspaceVersions = z.infer<typeof versions>;

/** `GET …/workspace`. */
export const listRoute = createRoute({
  method: "get",
  path: "/agents/{id}/workspace",
  summary: "The files and folders of a workspace",
  request: {
    params: agentParams,
    query: z.strictObject({
      prefix: z.string().default("").openapi({ description: "A folder; the root by default." }),
      recursive: z
        .enum(["true", "false"])
        .default("false")
        .openapi({ description: "All files below it, without folders." }),
    }),
  },
  responses: {
    200: {
      description: "By path, 20,000 at most",
      content: { "application/json": { schema: listing } },
    },
  },
});

/** `GET …/workspace/<path>`. */
export const readRoute = createRoute({
  method: "get",
  path: `/agents/{id}/workspace/${REST}`,
  summary: "A file",
  description:
    "Honours `Range` (one range), `If-None-Match`, `If-Match` and `If-Range`; HEAD answers the headers alone.",
  request: { params: fileParams, query: noQuery },
  responses: {
    200: { description: "The file", content: bytes },
    206: { description: "The range", content: bytes },
    304: { description: "The client has this version (`If-None-Match`)" },
  },
});

/** `PUT …/workspace/<path>`. */
export const writeRoute = createRoute({
  method: "put",
  path: `/agents/{id}/workspace/${REST}`,
  summary: "Store a file",
  description:
    "With `If-Match` only over that version, with `If-None-Match: *` only as a new file; 412 otherwise. The " +
    `previous version is kept for 30 days. A file has at most ${MAX_FILE_BYTES} bytes.`,
  request: { params: fileParams, query: noQuery, body: { content: bytes } },
  responses: {
    200: { description: "Overwritten", content: { "application/json": { schema: file } } },
    201: { description: "Created", content: { "application/json": { schema: file } } },
  },
});

/** `DELETE …/workspace/<path>`. */
export const removeRoute = createRoute({
  method: "delete",
  path: `/agents/{id}/workspace/${REST}`,
  summary: "Delete a file",
  description: "With `If-Match` only that version; 412 otherwise. It is kept as a version for 30 days.",
  request: { params: fileParams, query: noQuery },
  responses: { 204: { description: "Deleted" } },
});

/** `DELETE …/labels/<path>`. */
export const acceptWordsRoute = createRoute({
  method: "delete",
  path: `/agents/{id}/labels/${REST}`,
  summary: "Accept a file's words as the owner's",
  description:
    "Removes the labels of the version in `If-Match`, which is required: accept what you have read. 412 if the file " +
    "was changed since.",
  request: { params: fileParams, query: noQuery },
  responses: { 200: { description: "Without labels", content: { "application/json": { schema: file } } } },
});

/** `GET …/versions`. */
export const replacedRoute = createRoute({
  method: "get",
  path: "/agents/{id}/versions",
  summary: "List the files with earlier versions, deleted ones included",
  request: {
    params: agentParams,
    query: z.strictObject({
      deleted: z
        .enum(["true", "false"])
        .optional()
        .openapi({ description: "Only deleted files, or only existing ones." }),
      after: z.string().max(1024).optional().openapi({ description: "`next` of the page before." }),
    }),
  },
  responses: {
    200: {
      description: "By path; with `next` where more follow, even if this page is empty",
      content: { "application/json": { schema: z.object({ files: z.array(replaced), next: z.string().optional() }) } },
    },
  },
});

/** `GET …/versions/<path>`. */
export const versionsRoute = createRoute({
  method: "get",
  path: `/agents/{id}/versions/${REST}`,
  summary: "List the earlier versions of a file, or read one of them",
  request: {
    params: fileParams,
    query: z.strictObject({
      versionId: z.string().optional().openapi({ description: "The version to read." }),
    }),
  },
  responses: {
    200: {
      description: "Newest first; with `versionId` the content of that version",
      content: { "application/json": { schema: versions }, ...bytes },
    },
  },
});

/** `POST …/versions/<path>`. */
export const restoreRoute = createRoute({
  method: "post",
  path: `/agents/{id}/versions/${REST}`,
  summary: "Restore an earlier version",
  description:
    "With `If-Match` only over that version of the file, with `If-None-Match: *` only where the file is deleted; " +
    "412 otherwise. The replaced file is kept as a version.",
  middleware: smallBody,
  request: {
    params: fileParams,
    query: noQuery,
    body: { required: true, content: { "application/json": { schema: z.strictObject({ versionId: z.string() }) } } },
  },
  responses: { 200: { description: "Restored", content: { "application/json": { schema: file } } } },
});
