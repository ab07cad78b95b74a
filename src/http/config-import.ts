import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { replacedPaths } from "../config/document.ts";
import { IsopodError } from "../lib/errors.ts";
import { importOpenClaw, MAX_IMPORT_CHARS } from "../migrate/openclaw/import-openclaw.ts";
import { wholeSchema } from "../services/config-schema.ts";
import { storeChange } from "./config-change.ts";
import { importReport } from "./config-import-schema.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { readBody } from "./read-body.ts";

/** A character takes at most three bytes. */
const MAX_BYTES = 3 * MAX_IMPORT_CHARS;

const importRoute = createRoute({
  method: "post",
  path: "/config/import",
  summary: "Take over an openclaw.json",
  description:
    "Reads a configuration of OpenClaw's, of any age, and replaces the configuration by what becomes of it. Every value " +
    "is accounted for. No secret is taken over: a reference to a variable stands in its place, and `refused` says which " +
    "to set. With `dryRun=true` nothing is stored.",
  request: {
    query: z.strictObject({
      dryRun: z.enum(["true", "false"]).default("false").openapi({ description: "Only tells what would come of it." }),
      note: z.string().max(500).default("Imported from an openclaw.json."),
    }),
    headers: z.object({
      "if-match": z.string().optional().openapi({
        description: 'The revision that is replaced, as `"3"`; `*` for whichever is there. Not needed for a dry run.',
      }),
    }),
    body: {
      required: true,
      description: `The text of the file, JSON5, at most ${MAX_IMPORT_CHARS} characters.`,
      content: { "text/plain": { schema: z.string() } },
    },
  },
  responses: { 200: { description: "What became of it", content: { "application/json": { schema: importReport } } } },
});

/** `POST /v1/config/import`. */
export const configImportRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

configImportRoutes.openapi(importRoute, async (c) => {
  const { dryRun, note } = c.req.valid("query");
  const imported = importOpenClaw(textOf(await readBody(c.req.raw, MAX_BYTES)), wholeSchema);
  const change = { dryRun, note, author: "import" };
  let replaced: string[] = [];
  const { revision, stored } = await storeChange(c, change, (before) => {
    replaced = replacedPaths(before, imported.document);
    return imported.document;
  });
  return c.json({ revision, stored, ...imported, replaced }, 200);
});

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new IsopodError("invalid_request", "The body is not UTF-8.", "Send the text of an openclaw.json.");
  }
}
