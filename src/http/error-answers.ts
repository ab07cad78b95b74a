import type { OpenAPIHono } from "@hono/zod-openapi";
import { speaksOpenAi } from "./openai/errors.ts";

type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

const METHODS = ["get", "put", "post", "patch", "delete"] as const;

/** What is registered as `Error` is the body of every refusal below `/v1`, but where OpenAI's protocol has its own. */
const REFUSAL = {
  description: "Why it was not done",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

/** Adds to the routes of a document how they refuse. Changes the document, and gives it. */
export function withErrorAnswers(document: Document): Document {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    if (!path.startsWith("/v1/") || speaksOpenAi(path)) continue;
    for (const method of METHODS) {
      const operation = item[method];
      if (operation !== undefined) operation.responses = { default: REFUSAL, ...operation.responses };
    }
  }
  return document;
}
