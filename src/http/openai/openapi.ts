import { z } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { openAiErrorBody } from "./errors.ts";

/** Largest body of a request in OpenAI's protocol, in bytes: it may hold files. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** Refuses a body over the limit with 413, before it is parsed. */
export const largeBody = bodyLimit({ maxSize: MAX_BODY_BYTES });

/** The headers of ours that the routes in OpenAI's protocol know. */
export const openAiHeaders = z.looseObject({
  "x-isopod-session-key": z.string().optional().openapi({
    description: "Which session, whoever the user is; `x-openclaw-session-key` too.",
  }),
  "x-isopod-model": z.string().optional().openapi({
    description: "`provider/model` that is to answer; `x-openclaw-model` too.",
  }),
  "x-isopod-tools": z.enum(["show", "hide"]).optional().openapi({
    description: "Whether the agent's own tool calls are shown.",
  }),
  "idempotency-key": z.string().max(200).optional().openapi({ description: "The same key is the same run." }),
});

/** What a route in OpenAI's protocol answers: one JSON body, or a stream of events, or an error. */
export function answers<Schema extends z.ZodType>(schema: Schema, description: string) {
  const error = { content: { "application/json": { schema: openAiErrorBody } } };
  return {
    200: {
      description: `${description}. The header \`X-Request-Id\` is the run's id.`,
      content: { "application/json": { schema }, "text/event-stream": { schema: z.string() } },
    },
    400: { description: "Something is wrong with the request, or cannot be had here", ...error },
    401: { description: "The token is missing or wrong", ...error },
    404: { description: "There is no such model", ...error },
    409: { description: "The run was stopped, or gave way to another", ...error },
    429: { description: "A budget is used up", ...error },
    502: { description: "The model did not answer", ...error },
    504: { description: "The run took too long", ...error },
  };
}
