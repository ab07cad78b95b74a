import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { mergePatch, parseConfig } from "../config/document.ts";
import { faultLines } from "../config/faults.ts";
import { redacted, restored } from "../config/redaction.ts";
import { ConfigStore, MAX_DOCUMENT_BYTES } from "../config/store.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { changeConfiguration, reached } from "../services/change-config.ts";
import { configurationView } from "../services/config-view.ts";
import { fromEnvironment } from "../services/current-config.ts";
import { passesIfMatch } from "./conditions.ts";
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
import { readBody } from "./request-body.ts";

const TRY_AGAIN = "Try again in a moment.";

/** `/v1/config`. Works with an invalid configuration too, so that it can be corrected. */
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
  // Through its text: the configuration is JSON, but its type is not.
  const effective = isEffective && { effective: redacted(JSON.parse(JSON.stringify(config))) };
  c.header("ETag", revisionEtag(view.revision));
  return c.json({ ...view, document: redacted(document), faults: [...view.faults], ...effective }, 200);
});

configRoutes.openapi({ ...replaceRoute, hide: true }, async (c) => {
  const given = await readDocument(c);
  return change(c, c.req.valid("query"), (before) => restored(given, before));
});

configRoutes.openapi({ ...patchRoute, hide: true }, async (c) => {
  const patch = await readDocument(c);
  return change(c, c.req.valid("query"), (before) => restored(mergePatch(before, patch), before));
});

configRoutes.openapi(historyRoute, async (c) => {
  const { limit, before } = c.req.valid("query");
  const revisions = await reached(new ConfigStore(c.env.DB).history(limit, before), TRY_AGAIN);
  const last = revisions.length === limit ? revisions.at(-1) : undefined;
  return c.json({ revisions, ...(last && { before: last.revision }) }, 200);
});

configRoutes.openapi(revisionRoute, async (c) => {
  const { document, ...line } = await storedRevision(c, c.req.valid("param").revision);
  return c.json({ ...line, document: redacted(document) }, 200);
});

configRoutes.openapi(rollbackRoute, async (c) => {
  const { revision } = c.req.valid("json");
  const { note = `Back to revision ${revision}.`, dryRun } = c.req.valid("query");
  const { document } = revision === 0 ? fromEnvironment(c.env) : await storedRevision(c, revision);
  return change(c, { note, dryRun }, () => document);
});

async function change(c: Context<AppEnv>, query: ChangeQuery, make: (document: JsonObject) => Json) {
  return c.json(await storeChange(c, { ...query, author: `api:${c.get("caller").via}` }, make), 200);
}

async function readDocument(c: Context): Promise<Json> {
  const text = new TextDecoder().decode(await readBody(c.req.raw, MAX_DOCUMENT_BYTES));
  if (text.trim() !== "") return parseConfig(text);
  throw new IsopodError("invalid_request", "The body is empty.", "Send a document; {} is one that says nothing.");
}

async function storedRevision(c: Context<AppEnv>, revision: number) {
  const stored = await reached(new ConfigStore(c.env.DB).at(revision), TRY_AGAIN);
  if (stored !== undefined && stored.document !== null) return { ...stored, document: stored.document };
  throw new IsopodError(
    "not_found",
    `There is no revision ${revision} that can be read.`,
    "GET /v1/config/history lists those kept.",
  );
}

/** The query of a change. */
interface ChangeQuery {
  dryRun: "true" | "false";
  note?: string | undefined;
}

/**
 * Stores a change of the configuration under the revision that the required `If-Match` names; sets `ETag`.
 * @param make derives the new document from the current one
 * @throws IsopodError `precondition_required`, `precondition_failed`, or `invalid_request` with the faults
 */
export async function storeChange(
  c: Context<AppEnv>,
  { dryRun, note, author }: ChangeQuery & { author: string },
  make: (document: JsonObject) => Json,
): Promise<{ revision: number; changed: string[]; stored: boolean }> {
  // Cloudflare weakens the ETag of a response that it compresses; a revision's number is exact all the same.
  const ifMatch = c.req.header("If-Match")?.replaceAll('W/"', '"');
  if (ifMatch === undefined && dryRun === "false") {
    throw new IsopodError(
      "precondition_required",
      "The request does not name the revision that it changes.",
      'Send the ETag of GET /v1/config as If-Match, such as "3", or * for any revision.',
    );
  }
  const change = {
    base: (revision: number) => passesIfMatch(ifMatch, String(revision)),
    change: make,
    author,
    note,
    dryRun: dryRun === "true",
  };
  const outcome = await changeConfiguration(c.env, change, Date.now());
  c.header("ETag", revisionEtag(outcome.revision));
  if (outcome.kind === "conflict") {
    throw new IsopodError(
      "precondition_failed",
      `The configuration is at revision ${outcome.revision} now.`,
      "Read it again, look whether your change still fits, and send it with the new ETag.",
      { currentRevision: outcome.revision },
    );
  }
  if (outcome.kind === "invalid") {
    const { faults } = outcome;
    const hint = "Nothing was changed. GET /v1/config/schema says what each field may be.";
    throw new IsopodError("invalid_request", faultLines(faults), hint, { faults });
  }
  const { revision, changed } = outcome;
  return { revision, changed, stored: outcome.kind === "stored" };
}

function revisionEtag(revision: number): string {
  return `"${revision}"`;
}
