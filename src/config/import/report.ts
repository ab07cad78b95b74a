import type { z } from "zod";
import { isJsonObject, type JsonObject } from "../../lib/json.ts";
import type { FieldStatus } from "../field-marks.ts";
import { fieldPath } from "../field-path.ts";
import { idleFields } from "../schema-lookup.ts";
import { jsonSchemaOf } from "../schema-node.ts";
import type { Draft, Finding } from "./draft.ts";
import { documentOf, keyOf, type Leaf, type Path } from "./leaves.ts";

/** What became of a document of OpenClaw's. Paths are as people write them, `agents.list[0].id`. No value is in it. */
export interface ImportReport {
  /** A valid configuration in our shape. */
  document: JsonObject;
  /** What came over, and where to. */
  mapped: { from: string; to: string; note?: string }[];
  /** What came over in another form, or says what is so anyway. */
  changed: { path: string; why: string }[];
  /** What nothing here could be set with. */
  unknown: { path: string; why: string; hint: string }[];
  /** What could be set, but not with that value; secrets in plain words are among it. */
  refused: { path: string; why: string; hint: string }[];
}

const NOTES: Readonly<Record<FieldStatus, string>> = {
  planned: "Nothing reads it yet.",
  unused: "It has no use here.",
};

/** The report of a document that has come all the way. */
export function reportOf({ leaves, findings }: Draft, schema: z.ZodType): ImportReport {
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

function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [keyOf(finding.path) + finding.kind, finding])).values()];
}

function textOf(path: Path): string {
  return fieldPath(path);
}
