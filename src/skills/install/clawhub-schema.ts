import { z } from "zod";

/** What an answer of ClawHub's API means; what is not named here is left alone. */
const moderation = z.object({
  isSuspicious: z.boolean().nullish(),
  isMalwareBlocked: z.boolean().nullish(),
  isPendingScan: z.boolean().nullish(),
  isHiddenByMod: z.boolean().nullish(),
  isRemoved: z.boolean().nullish(),
  verdict: z.string().nullish(),
});

/** `GET /api/v1/skills/{slug}`. The moderation is absent where there is nothing to say. */
export const skillAnswer = z.object({
  skill: z.object({ slug: z.string() }),
  latestVersion: z.object({ version: z.string() }).nullish(),
  moderation: moderation.nullish(),
});

/** `GET /api/v1/skills/{slug}/versions/{version}`. The security is absent where nobody has looked at it. */
export const versionAnswer = z.object({
  version: z.object({
    version: z.string(),
    files: z.array(z.object({ path: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/i) })).nullish(),
    security: z.object({ status: z.string() }).nullish(),
  }),
});

export type Moderation = z.output<typeof moderation>;
