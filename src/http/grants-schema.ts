import { z } from "@hono/zod-openapi";

const names = z.array(z.string()).readonly().optional();

const grant = z
  .object({
    id: z.string(),
    tool: z.string(),
    programs: names.openapi({ description: "The programs that its scripts may run." }),
    hosts: names.openapi({ description: "The hosts that they may reach." }),
    conversations: names.openapi({ description: "The conversations that it may send to." }),
    grantedAt: z.int().openapi({ description: "Milliseconds since the epoch." }),
  })
  .openapi("Grant");

/** What `GET …/grants` answers. */
export const grants = z.object({ grants: z.array(grant).readonly() });

export type Grants = z.infer<typeof grants>;
