import type { z } from "zod";
import { fieldPath } from "../config/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { type AnyTool, toolSchema } from "./tool.ts";

/** Words for one thing, in small letters: models call a field by what it is called in tools that they know better. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["path", "file", "filepath", "filename", "targetfile", "dir", "directory", "folder"],
  ["content", "contents", "filetext", "body", "text", "message", "note"],
  ["oldtext", "oldstring", "oldstr", "search", "find"],
  ["newtext", "newstring", "newstr", "replace", "replacement"],
  ["command", "cmd", "script", "code"],
  ["workdir", "cwd", "workingdirectory"],
  ["timeout", "timeoutsec", "timeoutseconds", "runtimeoutseconds", "timeoutms"],
  ["query", "q", "searchquery", "keywords", "pattern", "regex"],
  ["count", "limit", "maxresults", "numresults", "topk", "lines", "maxlines"],
  ["freshness", "timerange", "recency"],
  ["site", "domain", "domains", "alloweddomains"],
  ["url", "uri", "link", "address"],
  ["to", "target", "recipient", "chatid", "conversationid", "channelid"],
  ["task", "prompt", "instructions"],
  ["sessionkey", "session", "sessionid", "label"],
  ["jobid", "job", "id"],
  ["id", "process", "processid", "pid", "sessionid"],
  ["schedule", "when", "trigger"],
  ["input", "patch", "diff"],
  ["raw", "patch", "config"],
  ["offset", "from", "start", "startline", "line"],
  ["ignorecase", "caseinsensitive"],
  ["plan", "steps", "todos"],
];

/** What is wrong with the arguments of a call, a line for each fault: the field, and the fix. */
export function wrongArguments(tool: AnyTool, args: JsonObject, { issues }: z.ZodError): string {
  const { parameters } = toolSchema(tool);
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ at: issue.path, key })) : [],
  );
  const renamed = unknown.map(({ at, key }) => unknownField(key, at, schemaAt(parameters, at), valueAt(args, at)));
  const found = new Set(renamed.map(({ instead }) => instead));
  const others = issues
    .filter(({ code, path }) => code !== "unrecognized_keys" && !found.has(fieldPath(path)))
    .map((issue) => `${fieldPath(issue.path)}: ${faultOf(issue, valueAt(args, issue.path), parameters)}`);
  const fields = `Its fields: ${fieldsOf(parameters).join(", ") || "none"}.`;
  return [...renamed.map(({ line }) => line), ...others, fields].join("\n");
}

type Path = readonly PropertyKey[];

/** A field that there is not, with the one that is meant, as far as that can be told. */
function unknownField(key: string, at: Path, schema: JsonObject, given: Json | undefined): FieldFault {
  const name = fieldPath([...at, key]);
  const inner = isJsonObject(given) ? given[key] : undefined;
  const fields = Object.keys(propertiesOf(schema));
  if (isJsonObject(inner) && Object.keys(inner).some((one) => fields.includes(one))) {
    return { line: `${name}: there is no such field. Give what is in it directly, not as one object.` };
  }
  const instead = meantBy(key, schema, isJsonObject(given) ? given : {});
  if (instead !== undefined) {
    return { line: `${name}: there is no such field. Call it ${instead}.`, instead: fieldPath([...at, instead]) };
  }
  for (const [outer, below] of Object.entries(propertiesOf(schema))) {
    const isList = isJsonObject(below) && isJsonObject(below.items);
    const field = isJsonObject(below) ? meantBy(key, isJsonObject(below.items) ? below.items : below, {}) : undefined;
    if (field === undefined) continue;
    const line = `${name}: there is no such field here. Put it into ${outer}${isList ? "[]" : ""}, as ${field}.`;
    return { line, instead: fieldPath([...at, outer]) };
  }
  return { line: `${name}: there is no such field.` };
}

interface FieldFault {
  line: string;
  /** The field that it should have been. */
  instead?: string;
}

/** The field that a word stands for: the same but for its case, or a synonym. */
function meantBy(key: string, schema: JsonObject, given: JsonObject): string | undefined {
  const word = plainWord(key);
  const fields = Object.keys(propertiesOf(schema));
  const open = fields.filter((field) => !(field in given));
  const same = open.find((field) => plainWord(field) === word);
  if (same !== undefined) return same;
  const groups = SYNONYMS.filter((group) => group.includes(word));
  return open.find((field) => groups.some((group) => group.includes(plainWord(field))));
}

function plainWord(key: string): string {
  return key.replace(/[_\-\s]/g, "").toLowerCase();
}

function faultOf(issue: z.core.$ZodIssue, value: Json | undefined, parameters: JsonObject): string {
  const about = descriptionAt(parameters, issue.path);
  if (value === undefined) return `it is missing.${about}`;
  if (value === null) return "it must not be null. Give a value, or leave the field out.";
  switch (issue.code) {
    case "invalid_type":
      return wrongType(issue.expected, value);
    case "invalid_value":
      return `give one of ${issue.values.map(String).join(", ")}, not ${JSON.stringify(value).slice(0, 50)}.`;
    case "invalid_union":
      return `it has no form that is allowed.${about}`;
    default:
      return `${issue.message}.`;
  }
}

function wrongType(expected: string, value: Json): string {
  const isText = typeof value === "string";
  switch (expected) {
    case "number":
    case "int":
      return isText && value.trim() !== "" && Number.isFinite(Number(value))
        ? `give the number ${Number(value)}, without quotes.`
        : "give a number, without a unit.";
    case "boolean":
      return "give true or false, without quotes.";
    case "array":
      return "give a list ([…]), not a single value or a text.";
    case "object":
    case "record":
      return "give an object ({…}), not a text.";
    default:
      return `give a text, not ${kindOf(value)}.`;
  }
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return "a list";
  return isJsonObject(value) ? "an object" : `a ${typeof value}`;
}

/** ` About it: …`, of a field that says something about itself. */
function descriptionAt(parameters: JsonObject, path: Path): string {
  const { description } = schemaAt(parameters, path);
  return typeof description === "string" ? ` It is: ${description}.` : "";
}

/** The names of the fields; those that may be left out have a question mark. */
function fieldsOf(schema: JsonObject): string[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.keys(propertiesOf(schema)).map((field) => (required.includes(field) ? field : `${field}?`));
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

/** The schema of what is at a path; an empty one if it has none. */
function schemaAt(schema: JsonObject, path: Path): JsonObject {
  return path.reduce<JsonObject>((outer, key) => {
    const below = typeof key === "number" ? outer.items : propertiesOf(outer)[String(key)];
    return isJsonObject(below) ? below : {};
  }, schema);
}

function valueAt(args: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((outer, key) => {
    if (Array.isArray(outer)) return outer[Number(key)];
    return isJsonObject(outer) ? outer[String(key)] : undefined;
  }, args);
}
