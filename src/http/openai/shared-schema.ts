import { z } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import type { ThinkingLevel } from "../../models/model.ts";
import { openAiErrorBody } from "./errors.ts";

/** `model`: which agent answers. */
export const MODEL_PARAM = z.string().min(1).openapi({
  example: "isopod/main",
  description:
    "`isopod/<agentId>`, or `isopod` for the default agent; `openclaw/<agentId>` and `openclaw:<agentId>` too.",
});

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** How much the model thinks. */
export const reasoningEffort = z.enum(EFFORTS).nullish();

/** Our extension in a body. */
export const toolsShown = z
  .object({ tools: z.enum(["show", "hide"]).optional() })
  .optional()
  .openapi({
    description: "`tools: show` shows the agent's own tool calls, as the header `x-isopod-tools: show` does.",
  });

/** A parameter that may only be absent, null, false or 0, because Isopod does not support what it asks for. */
export function unsupported(why: string) {
  return z
    .unknown()
    .refine((value) => value === undefined || value === null || value === false || value === 0, why)
    .optional();
}

/** The thinking level of a reasoning effort; undefined where none is given. */
export function thinkingLevel(effort: (typeof EFFORTS)[number] | null | undefined): ThinkingLevel | undefined {
  if (effort === undefined || effort === null) return undefined;
  if (effort === "none") return "off";
  return effort === "xhigh" || effort === "max" ? "high" : effort;
}

/** Whether the answer shows the agent's own tool calls. */
export function showsTools(header: string | undefined, extension: z.infer<typeof toolsShown>): boolean {
  return (extension?.tools ?? header) === "show";
}

/** Largest body of a request in OpenAI's protocol, in bytes; it may contain files. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** Refuses a body over the limit with 413, before it is parsed. */
export const largeBody = bodyLimit({ maxSize: MAX_BODY_BYTES });

/** Our own request headers of the OpenAI routes. */
export const openAiHeaders = z.looseObject({
  "x-isopod-session-key": z.string().optional().openapi({
    description: "The session key, regardless of `user`; `x-openclaw-session-key` works too.",
  }),
  "x-isopod-model": z.string().optional().openapi({
    description: "The `provider/model` that answers; `x-openclaw-model` works too.",
  }),
  "x-isopod-tools": z.enum(["show", "hide"]).optional().openapi({
    description: "Whether the answer shows the agent's own tool calls.",
  }),
  "idempotency-key": z.string().max(200).optional().openapi({ description: "The same key is the same run." }),
});

/** The responses of a route in OpenAI's protocol: one JSON body, a stream of events, or an error. */
export function responsesOf<Schema extends z.ZodType>(schema: Schema, description: string) {
  const error = { content: { "application/json": { schema: openAiErrorBody } } };
  return {
    200: {
      description: `${description}. The header \`X-Request-Id\` is the run's id.`,
      content: { "application/json": { schema }, "text/event-stream": { schema: z.string() } },
    },
    400: { description: "The request is wrong, too long for the model, or asks for something unsupported", ...error },
    401: { description: "The token is missing or wrong", ...error },
    404: { description: "There is no such model", ...error },
    409: { description: "The run was stopped, or dropped in favour of another", ...error },
    429: { description: "A budget is used up, or the model's provider limits the rate", ...error },
    502: { description: "The model did not answer", ...error },
    504: { description: "The run took too long", ...error },
  };
}
