import { createRoute, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { MAX_ARCHIVE_BYTES } from "../skills/install/refusal.ts";
import { smallBody } from "./request-body.ts";

const agentId = z.string().openapi({ description: "The agent's id." });
const name = z.string().min(1).openapi({ description: "The skill's name, or that of its folder." });
const flag = z.enum(["true", "false"]).optional();
const forAll = flag.openapi({ description: "Whether to use the skills of all agents." });

const signature = z
  .object({
    kind: z.enum(["unsigned", "untrusted", "trusted"]),
    keyId: z.string().optional().openapi({ description: "The first 16 hex digits of the SHA-256 of the key's bytes." }),
  })
  .openapi("SkillSignature");

const source = z
  .object({
    kind: z.enum(["upload", "url", "clawhub"]),
    url: z.string().optional(),
    path: z.string().optional(),
    slug: z.string().optional(),
    registryUrl: z.string().optional(),
    pinned: z.boolean().optional().openapi({ description: "Whether updates keep its version." }),
  })
  .openapi("SkillOrigin");

/** The record of an installed skill. */
export const installedSkill = z
  .object({
    name: z.string(),
    folder: z.string(),
    location: z.string().openapi({ example: "skills/weather/SKILL.md" }),
    global: z.boolean(),
    version: z.string().openapi({ description: "The registry's, else that of its SKILL.md." }),
    source,
    signature,
    modified: z.boolean().openapi({ description: "Whether an owner has accepted changes of it." }),
    installedAt: z.int().openapi({ description: "Milliseconds since the epoch." }),
    fileCount: z.int(),
    bytes: z.int(),
  })
  .openapi("InstalledSkill");

const notes = z.array(z.string()).openapi({ description: "Notes for people." });

const change = installedSkill
  .extend({ outcome: z.enum(["installed", "updated", "current", "removed", "accepted"]), notes })
  .openapi("SkillChange");

const verification = installedSkill
  .extend({
    ok: z.boolean(),
    seen: z.string().openapi({ description: "The digest of the compared files, for `accept`." }),
    files: z.array(z.object({ path: z.string(), status: z.enum(["ok", "changed", "missing", "added"]) })),
  })
  .openapi("SkillVerification");

export type SkillChange = z.infer<typeof change>;
export type SkillVerification = z.infer<typeof verification>;

/** Whether a body is JSON, by its `Content-Type`. */
export const isJson = (type: string | undefined): boolean => /^application\/json\b/i.test(type ?? "");
const archiveBody = bodyLimit({ maxSize: MAX_ARCHIVE_BYTES });

/** A JSON body is small and an archive is large. */
const jsonOrArchiveBody: MiddlewareHandler = (c, next) =>
  isJson(c.req.header("Content-Type")) ? smallBody(c, next) : archiveBody(c, next);

/** The JSON body of an install. */
export const installBody = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  slug: z.string().min(1).max(200).optional(),
  version: z.string().min(1).max(64).optional().openapi({ description: "With `slug`: updates keep to it then." }),
  path: z.string().max(512).optional().openapi({ description: "Which skill of several in the archive." }),
  global: z.boolean().optional(),
  replace: z.boolean().optional(),
});

export const installRoute = createRoute({
  method: "post",
  path: "/agents/{id}/skills",
  summary: "Install a skill atomically",
  description: [
    "The body is a `.zip` or `.tar.gz` with a skill at its top or in its only folder; or JSON with its `url`, or " +
      "its `slug` of ClawHub. With an archive, the other fields are in the query.",
    "It is installed in the agent's workspace, or with `global` for all agents. An existing folder is replaced only " +
      "with `replace`.",
    "`outcome` is `current` where the same bytes are installed already.",
  ].join("\n\n"),
  middleware: jsonOrArchiveBody,
  request: {
    params: z.object({ id: agentId }),
    query: z.strictObject({
      global: forAll,
      replace: flag.openapi({ description: "Whether to replace an existing folder; its files are kept as versions." }),
      path: z.string().max(512).optional().openapi({ description: "Which skill of several in the archive." }),
    }),
  },
  responses: {
    201: { description: "Installed or updated", content: { "application/json": { schema: change } } },
    200: { description: "It was installed already", content: { "application/json": { schema: change } } },
  },
});

const bytes = { schema: z.string().openapi({ type: "string", format: "binary" }) };

/** The same route for the OpenAPI document: its body may be an archive, which no schema can validate. */
export const installRouteInDocument = {
  ...installRoute,
  request: {
    ...installRoute.request,
    body: {
      required: true,
      content: {
        "application/json": { schema: installBody },
        "application/zip": bytes,
        "application/gzip": bytes,
      },
    },
  },
};

const oneSkill = { params: z.object({ id: agentId, name }), query: z.strictObject({ global: forAll }) };
const changed = (description: string) => ({
  200: { description, content: { "application/json": { schema: change } } },
});

export const updateRoute = createRoute({
  method: "post",
  path: "/agents/{id}/skills/{name}/update",
  summary: "Update an installed skill from its source",
  description:
    "`409` where its files were changed, unless `force` discards the changes. `outcome` is `current` where nothing " +
    "is new.",
  middleware: smallBody,
  request: {
    ...oneSkill,
    body: {
      required: false,
      content: {
        "application/json": {
          schema: z.strictObject({
            version: z.string().min(1).max(64).optional().openapi({
              description:
                "A version of ClawHub, which later updates keep; `latest` for the newest, which they do not.",
            }),
            force: z.boolean().optional(),
            global: z.boolean().optional(),
          }),
        },
      },
    },
  },
  responses: changed("Up to date"),
});

export const removeRoute = createRoute({
  method: "delete",
  path: "/agents/{id}/skills/{name}",
  summary: "Remove an installed skill",
  description: "Deletes the installed files, which are kept as versions; `notes` names files that stay.",
  request: oneSkill,
  responses: changed("Removed"),
});

export const verifyRoute = createRoute({
  method: "post",
  path: "/agents/{id}/skills/{name}/verify",
  summary: "Compare the files of an installed skill with what was installed",
  middleware: smallBody,
  request: oneSkill,
  responses: {
    200: { description: "Each file", content: { "application/json": { schema: verification } } },
  },
});

export const acceptRoute = createRoute({
  method: "post",
  path: "/agents/{id}/skills/{name}/accept",
  summary: "Accept an installed skill as it is",
  description:
    "For a skill that is quarantined because its files were changed, once you have reviewed them. With `seen` only " +
    "the reviewed files: `409` where they changed since.",
  middleware: smallBody,
  request: {
    ...oneSkill,
    body: {
      required: false,
      content: {
        "application/json": {
          schema: z.strictObject({
            seen: z
              .string()
              .min(1)
              .max(64)
              .optional()
              .openapi({ description: "The `seen` of the skill, or of `verify`." }),
          }),
        },
      },
    },
  },
  responses: changed("Accepted"),
});
