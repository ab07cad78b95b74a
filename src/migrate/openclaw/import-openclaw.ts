import JSON5 from "json5";
import type { z } from "zod";
import type { FieldStatus } from "../../config/field-marks.ts";
import { fieldPath } from "../../config/field-path.ts";
import { idleFields } from "../../config/schema-lookup.ts";
import { jsonSchemaOf } from "../../config/schema-node.ts";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../lib/json.ts";
import { dropBroadenedBindings, gatherAgents } from "./agents.ts";
import { gatherChannels, narrowGroups } from "./channels.ts";
import { type ImportDraft, type ImportFinding, inOrder } from "./draft.ts";
import { dropInvalid, dropUnknown } from "./fit.ts";
import { documentOf, keyOf, type Leaf, leavesOf, type Path } from "./leaves.ts";
import { gatherProviders } from "./providers.ts";
import { renameFields, renameGatheredFields, resolveAmbiguous } from "./renames.ts";
import { askForHosts, isReference, readReferences, refuseSecrets } from "./secrets.ts";
import { dropRedundant, rewriteValues } from "./values.ts";

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
  return reportOf(dropBroadenedBindings(dropInvalid(refuseSecrets(known), schema)), schema);
}

/** From OpenClaw's shapes into ours. */
const RESHAPE = inOrder(
  renameFields,
  gatherAgents,
  gatherChannels,
  renameGatheredFields,
  narrowGroups,
  gatherProviders,
  dropRedundant,
  resolveAmbiguous,
  rewriteValues,
  readReferences,
  askForHosts,
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

/** Whether parsed JSON5 is plain JSON. @throws IsopodError if it is nested too deep */
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

/** What became of a document of OpenClaw's. Paths are as people write them, `agents.list[0].id`. No value is in it. */
export interface ImportReport {
  /** A valid configuration in our shape. */
  document: JsonObject;
  /** What was imported, and where to. */
  mapped: { from: string; to: string; note?: string }[];
  /** What was imported in another form, or is the default here anyway. */
  changed: { path: string; why: string }[];
  /** Fields without a counterpart. */
  unknown: { path: string; why: string; hint: string }[];
  /** Fields whose value is not accepted, secrets in plain text among them. */
  refused: { path: string; why: string; hint: string }[];
}

const NOTES: Readonly<Record<FieldStatus, string>> = {
  planned: "Nothing reads it yet.",
  unused: "It has no use here.",
};

/** The report of a document that has come all the way. */
export function reportOf({ leaves, findings }: ImportDraft, schema: z.ZodType): ImportReport {
  const json = documentOf(leaves);
  const document = isJsonObject(json) ? json : {};
  const idle = new Map(idleFields(jsonSchemaOf(schema), document).map(({ path, status }) => [path, NOTES[status]]));
  const report: ImportReport = {
    document,
    mapped: mappedOf(leaves, idle),
    changed: [],
    unknown: [],
    refused: [],
  };
  for (const finding of distinct(findings)) {
    const { why } = finding;
    const path = textOf(finding.path);
    if (finding.kind === "changed") report.changed.push({ path, why });
    else report[finding.kind].push({ path, why, hint: finding.hint });
  }
  return report;
}

/** What is left, by the field that it is of: the items of a list are one. */
function mappedOf(leaves: readonly Leaf[], notes: ReadonlyMap<string, string>): ImportReport["mapped"] {
  const mapped = new Map<string, ImportReport["mapped"][number]>();
  for (const { from, path, placed } of leaves) {
    if (placed) continue;
    const to = textOf(fieldOf(path));
    const note = path.map((_, at) => notes.get(textOf(path.slice(0, at + 1)))).find((known) => known !== undefined);
    mapped.set(to, { from: textOf(fieldOf(from)), to, ...(note !== undefined && { note }) });
  }
  return [...mapped.values()];
}

function fieldOf(path: Path): Path {
  return typeof path.at(-1) === "number" ? path.slice(0, -1) : path;
}

function distinct(findings: readonly ImportFinding[]): ImportFinding[] {
  return [...new Map(findings.map((finding) => [keyOf(finding.path) + finding.kind, finding])).values()];
}

function textOf(path: Path): string {
  return fieldPath(path);
}
