import JSON5 from "json5";
import type { z } from "zod";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../lib/json.ts";
import { gatherAgents } from "./agents.ts";
import { dropLooseBindings } from "./bindings.ts";
import { gatherChannels } from "./channels.ts";
import { inOrder } from "./draft.ts";
import { dropInvalid, dropUnknown } from "./fit.ts";
import { narrowGroups } from "./groups.ts";
import { leavesOf } from "./leaves.ts";
import { tellApart } from "./look-alikes.ts";
import { dropTruisms } from "./means-nothing.ts";
import { gatherProviders } from "./providers.ts";
import { renameFields, renameGatheredFields } from "./renames.ts";
import { type ImportReport, reportOf } from "./report.ts";
import { isReference, readReferences, refuseSecrets } from "./secrets.ts";
import { rewriteValues } from "./values.ts";

/** Largest document that is read, in UTF-16 units. */
export const MAX_IMPORT_CHARS = 256 * 1024;
const MAX_DEPTH = 32;
const MAX_VALUES = 5000;

/**
 * Reads an `openclaw.json` of any age (JSON5) into our configuration. Everything in it is accounted for in the report.
 * @param schema of the whole configuration; what is left is valid by it
 * @throws IsopodError `invalid_request` where the text is no document
 */
export function importOpenClaw(text: string, schema: z.ZodType): ImportReport {
  const leaves = leavesOf(readDocument(text), isReference);
  if (leaves.length > MAX_VALUES) throw notReadable(`It has over ${MAX_VALUES} values.`);
  const known = dropUnknown(RESHAPE({ leaves, findings: [] }), schema);
  return reportOf(dropLooseBindings(dropInvalid(refuseSecrets(known), schema)), schema);
}

/** From OpenClaw's shapes into ours. */
const RESHAPE = inOrder(
  renameFields,
  gatherAgents,
  gatherChannels,
  renameGatheredFields,
  narrowGroups,
  gatherProviders,
  dropTruisms,
  tellApart,
  rewriteValues,
  readReferences,
);

function readDocument(text: string): JsonObject {
  if (text.length > MAX_IMPORT_CHARS) throw notReadable(`It is longer than ${MAX_IMPORT_CHARS} characters.`);
  const parsed = parse(text);
  if (!isJson(parsed) || !isJsonObject(parsed))
    throw notReadable("It is not an object, or a number in it is not finite.");
  return parsed;
}

function parse(text: string): unknown {
  try {
    return JSON5.parse(text);
  } catch (error) {
    throw notReadable(`It is not JSON5: ${messageOf(error)}.`);
  }
}

/** Whether what JSON5 gave is JSON as well. @throws IsopodError where it is too deep to be looked through */
function isJson(document: unknown): document is Json {
  let level = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw notReadable(`It is nested over ${MAX_DEPTH} levels deep.`);
    if (level.some((value) => typeof value === "number" && !Number.isFinite(value))) return false;
    level = level.flatMap((value): unknown[] =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}

function notReadable(why: string): IsopodError {
  return new IsopodError(
    "invalid_request",
    `The document cannot be read. ${why}`,
    "Send the text of an openclaw.json.",
  );
}
