import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { replacedPaths } from "../config/document.ts";
import { IsopodError } from "../lib/errors.ts";
import { importOpenClaw, MAX_IMPORT_CHARS } from "../migrate/openclaw/import-openclaw.ts";
import { wholeSchema } from "../services/config-schema.ts";
import { storeChange } from "./config.ts";
import { importReport } from "./config-import-schema.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { readBody } from "./request-body.ts";

/** A character takes at most three bytes. */
const MAX_BYTES = 3 * MAX_IMPORT_CHARS;

const importRoute = createRoute({
  method: "post",
  path: "/config/import",
  summary: "Import an openclaw.json",
  description:
    "Converts a configuration of any OpenClaw version, and replaces the configuration with the result. The report " +
    "covers every value. Secrets are not imported: each becomes a reference to a variable, and `refused` names the " +
    "variables to set. With `dryRun=true` nothing is stored.",
  request: {
    query: z.strictObject({
      dryRun: z.enum(["true", "false"]).default("false").openapi({ description: "Only report the result." }),
      note: z.string().max(500).default("Imported from an openclaw.json."),
    }),
    headers: z.object({
      "if-match": z.string().optional().openapi({
        description: 'The revision that is replaced, as `"3"`; `*` for any. Not needed for a dry run.',
      }),
    }),
    body: {
      required: true,
      description: `The text of the file, JSON5, at most ${MAX_IMPORT_CHARS} characters.`,
      content: { "text/plain": { schema: z.string() } },
    },
  },
  responses: { 200: { description: "The report", content: { "application/json": { schema: importReport } } } },
});

/** `POST /v1/config/import`. */
export const configImportRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

configImportRoutes.openapi(importRoute, async (c) => {
  const { dryRun, note } = c.req.valid("query");
  const imported = importOpenClaw(decodeUtf8(await readBody(c.req.raw, MAX_BYTES)), wholeSchema);
  const change = { dryRun, note, author: "import" };
  let replaced: string[] = [];
  const { revision, stored } = await storeChange(c, change, (before) => {
    const takesNothing = Object.keys(imported.document).length === 0;
    if (takesNothing && dryRun === "false") throw new IsopodError("invalid_request", NOTHING, NOTHING_HINT);
    replaced = replacedPaths(before, imported.document);
    return imported.document;
  });
  return c.json({ revision, stored, ...imported, replaced }, 200);
});

const NOTHING = "Nothing in this document can be taken over, so the configuration stays as it is.";
const NOTHING_HINT = "Send an openclaw.json; dryRun=true shows what becomes of each of its values.";

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new IsopodError("invalid_request", "The body is not UTF-8.", "Send the text of an openclaw.json.");
  }
}
