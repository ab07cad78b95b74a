import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { mergePatch, parseConfig } from "../config/document.ts";
import { redacted, restored } from "../config/redaction.ts";
import { ConfigStore, MAX_DOCUMENT_BYTES } from "../config/store.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { reached } from "../services/change-config.ts";
import { configurationView } from "../services/config-view.ts";
import { fromEnvironment } from "../services/current-config.ts";
import { type ChangeQuery, etagOf, storeChange } from "./config-change.ts";
import {
  documentBody,
  historyRoute,
  patchRoute,
  readRoute,
  replaceRoute,
  revisionRoute,
  rollbackRoute,
} from "./config-routes.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { readBody } from "./read-body.ts";

const AGAIN = "Try again in a moment.";

/** `/v1/config`, which answers also where the configuration is not valid: it is how that is mended. */
export const configRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

for (const [route, type] of [
  [replaceRoute, "application/json"],
  [patchRoute, "application/merge-patch+json"],
] as const) {
  configRoutes.openAPIRegistry.registerPath({ ...route, request: { ...route.request, body: documentBody(type) } });
}

configRoutes.openapi(readRoute, async (c) => {
  const { config, document, ...view } = await configurationView(c.env);
  const isEffective = c.req.valid("query").effective === "true" && config !== undefined;
  // By way of its text: the configuration is JSON, but its type does not say so.
  const effective = isEffective && { effective: redacted(JSON.parse(JSON.stringify(config))) };
  c.header("ETag", etagOf(view.revision));
  return c.json({ ...view, document: redacted(document), faults: [...view.faults], ...effective }, 200);
});

configRoutes.openapi({ ...replaceRoute, hide: true }, async (c) => {
  const given = await documentIn(c);
  return change(c, c.req.valid("query"), (before) => restored(given, before));
});

configRoutes.openapi({ ...patchRoute, hide: true }, async (c) => {
  const patch = await documentIn(c);
  return change(c, c.req.valid("query"), (before) => restored(mergePatch(before, patch), before));
});

configRoutes.openapi(historyRoute, async (c) => {
  const { limit, before } = c.req.valid("query");
  const revisions = await reached(new ConfigStore(c.env.DB).history(limit, before), AGAIN);
  const last = revisions.length === limit ? revisions.at(-1) : undefined;
  return c.json({ revisions, ...(last && { before: last.revision }) }, 200);
});

configRoutes.openapi(revisionRoute, async (c) => {
  const { document, ...line } = await storedAt(c, c.req.valid("param").revision);
  return c.json({ ...line, document: redacted(document) }, 200);
});

configRoutes.openapi(rollbackRoute, async (c) => {
  const { revision } = c.req.valid("json");
  const { note = `Back to revision ${revision}.`, dryRun } = c.req.valid("query");
  const { document } = revision === 0 ? fromEnvironment(c.env) : await storedAt(c, revision);
  return change(c, { note, dryRun }, () => document);
});

async function change(c: Context<AppEnv>, query: ChangeQuery, make: (document: JsonObject) => Json) {
  return c.json(await storeChange(c, { ...query, author: `api:${c.get("caller")}` }, make), 200);
}

async function documentIn(c: Context): Promise<Json> {
  const text = new TextDecoder().decode(await readBody(c.req.raw, MAX_DOCUMENT_BYTES));
  if (text.trim() !== "") return parseConfig(text);
  throw new IsopodError("invalid_request", "The body is empty.", "Send a document; {} is one that says nothing.");
}

async function storedAt(c: Context<AppEnv>, revision: number) {
  const stored = await reached(new ConfigStore(c.env.DB).at(revision), AGAIN);
  if (stored !== undefined && stored.document !== null) return { ...stored, document: stored.document };
  throw new IsopodError(
    "not_found",
    `There is no revision ${revision} that can be read.`,
    "GET /v1/config/history lists those kept.",
  );
}
