import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { DATA_HEADERS } from "./data-headers.ts";

const AS_JSON = "application/json";

/** The body of a route that gives a prompt as JSON, or its text alone where that is asked for. */
export function promptContent<Schema>(schema: Schema) {
  const text = { schema: { type: "string" as const } };
  return { [AS_JSON]: { schema }, "text/plain": text, "text/markdown": text };
}

/** The text alone, where `Accept` wants that; undefined where it wants JSON, or anything. */
export function plainPrompt(c: Context, { text, hash }: { text: string; hash: string }): Response | undefined {
  const supports = [AS_JSON, "text/plain", "text/markdown"];
  const type = accepts(c, { header: "Accept", supports, default: AS_JSON });
  if (type === AS_JSON) return undefined;
  return new Response(text, {
    headers: { ...DATA_HEADERS, "Content-Type": `${type}; charset=utf-8`, ETag: `"${hash}"`, Vary: "Accept" },
  });
}
