import { z } from "@hono/zod-openapi";

/** The content of an answer that is streamed as it is, not as JSON. */
export function streamContent(mediaType: string): Record<string, { schema: z.ZodString }> {
  return { [mediaType]: { schema: z.string() } };
}
