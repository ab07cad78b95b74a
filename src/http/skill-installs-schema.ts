import { createRoute, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { MAX_ARCHIVE_BYTES } from "../skills/install/package-limits.ts";
import { smallBody } from "./small-body.ts";

const agentId = z.string().openapi({ description: "The agent's id." });
const name = z.string().min(1).openapi({ description: "The skill's name, or that of its folder." });
const flag = z.enum(["true", "false"]).optional();
const forAll = flag.openapi({ description: "Whether a skill of all agents is meant." });

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

/** What is recorded of an installed skill. */
export const installedSkill = z
  .object({
    name: z.string(),
    folder: z.string(),
    location: z.string().openapi({ example: "skills/weather/SKILL.md" }),
    global: z.boolean(),
    version: z.string().openapi({ description: "The registry's, else that of its SKILL.md." }),
    source,
    signature,
    modified: z
      .boolean()
      .openapi({ description: "Whether an owner has accepted it as something else than was installed." }),
    installedAt: z.int().openapi({ description: "Milliseconds since the epoch." }),
    fileCount: z.int(),
    bytes: z.int(),
  })
  .openapi("InstalledSkill");

const notes = z.array(z.string()).openapi({ description: "Sentences about what is worth knowing." });

const change = installedSkill
  .extend({ outcome: z.enum(["installed", "updated", "current", "removed", "accepted"]), notes })
  .openapi("SkillChange");

const verification = installedSkill
  .extend({
    ok: z.boolean(),
    seen: z.string().openapi({ description: "Of the files that were compared, for `accept`." }),
    files: z.array(z.object({ path: z.string(), status: z.enum(["ok", "changed", "missing", "added"]) })),
  })
  .openapi("SkillVerification");

export type SkillChange = z.infer<typeof change>;
export type SkillVerification = z.infer<typeof verification>;

/** Whether a body is words, by its type. */
export const isJson = (type: string | undefined): boolean => /^application\/json\b/i.test(type ?? "");
const archiveBody = bodyLimit({ maxSize: MAX_ARCHIVE_BYTES });

/** Words are few and an archive is large. */
const wordsOrArchive: MiddlewareHandler = (c, next) =>
  isJson(c.req.header("Content-Type")) ? smallBody(c, next) : archiveBody(c, next);

/** What is to be installed, in words. */
export const installWords = z.strictObject({
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
  summary: "Install a skill, whole or not at all",
  description: [
    "The body is a `.zip` or `.tar.gz` with a skill at its top or in its only folder; or JSON that says where one is: `url`, or `slug` " +
      "of ClawHub. With an archive, the other fields are in the query.",
    "It goes to the agent's workspace, with `global` to all agents. What has its folder is replaced only with `replace`.",
    "`outcome` is `current` where these very bytes are installed already.",
  ].join("\n\n"),
  middleware: wordsOrArchive,
  request: {
    params: z.object({ id: agentId }),
    query: z.strictObject({
      global: forAll,
      replace: flag.openapi({ description: "Whether what is there is replaced; its files are kept as versions." }),
      path: z.string().max(512).optional().openapi({ description: "Which skill of several in the archive." }),
    }),
  },
  responses: {
    201: { description: "It was installed, or updated", content: { "application/json": { schema: change } } },
    200: { description: "It was there", content: { "application/json": { schema: change } } },
  },
});

const bytes = { schema: z.string().openapi({ type: "string", format: "binary" }) };

/** The same route as the API's description has it: its body may be an archive, which no schema reads. */
export const installRouteAsTold = {
  ...installRoute,
  request: {
    ...installRoute.request,
    body: {
      required: true,
      content: {
        "application/json": { schema: installWords },
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
  summary: "Get an installed skill again from where it came from",
  description:
    "`409` where it was changed since, unless `force` gives that up. `outcome` is `current` where nothing is new.",
  middleware: smallBody,
  request: {
    ...oneSkill,
    body: {
      required: false,
      content: {
        "application/json": {
          schema: z.strictObject({
            version: z
              .string()
              .min(1)
              .max(64)
              .optional()
              .openapi({ description: "Of ClawHub, and kept from then on; `latest` for the newest, and not kept." }),
            force: z.boolean().optional(),
            global: z.boolean().optional(),
          }),
        },
      },
    },
  },
  responses: changed("It is the newest"),
});

export const removeRoute = createRoute({
  method: "delete",
  path: "/agents/{id}/skills/{name}",
  summary: "Remove an installed skill",
  description: "Takes the files that were installed, which are kept as versions; `notes` names what stays.",
  request: oneSkill,
  responses: changed("It is gone"),
});

export const verifyRoute = createRoute({
  method: "post",
  path: "/agents/{id}/skills/{name}/verify",
  summary: "Read every file of an installed skill and compare it with what was installed",
  middleware: smallBody,
  request: oneSkill,
  responses: {
    200: { description: "Each file", content: { "application/json": { schema: verification } } },
  },
});

export const acceptRoute = createRoute({
  method: "post",
  path: "/agents/{id}/skills/{name}/accept",
  summary: "Take an installed skill as it is now",
  description:
    "For a skill that is quarantined because its files were changed, once you have looked at them. With `seen` only what you have " +
    "looked at: `409` where it was changed since.",
  middleware: smallBody,
  request: {
    ...oneSkill,
    body: {
      required: false,
      content: {
        "application/json": {
          schema: z.strictObject({
            seen: z.string().min(1).max(64).optional().openapi({ description: "As the skill, or `verify`, tells it." }),
          }),
        },
      },
    },
  },
  responses: changed("It counts as it is"),
});
