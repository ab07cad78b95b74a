import { z } from "@hono/zod-openapi";

/** What `GET /me` answers: who is asking, and which agent answers. */
export const caller = z.object({
  agentId: z.string(),
  model: z.string().openapi({ description: "`provider/model` of the next run." }),
  scopes: z.array(z.string()),
  version: z.string(),
  signOutPath: z
    .string()
    .optional()
    .openapi({ description: "Where a browser ends its login, if Cloudflare Access let it in." }),
});

const check = z
  .object({
    id: z.string().openapi({ description: "Stable across requests.", example: "secrets.OPENAI_API_KEY" }),
    area: z.string(),
    status: z.enum(["ok", "warn", "fail"]),
    message: z.string(),
    fix: z.string().optional().openapi({ description: "What to do, in a sentence; absent for `ok`." }),
    path: z.string().optional().openapi({ description: "The field of the configuration, or the file." }),
  })
  .openapi("Check");

/** What `GET /doctor` answers. */
export const diagnosis = z.object({
  ok: z.boolean().openapi({ description: "No check failed; there may be warnings." }),
  checks: z.array(check),
});

export type Caller = z.infer<typeof caller>;
export type Check = z.infer<typeof check>;
export type Diagnosis = z.infer<typeof diagnosis>;
