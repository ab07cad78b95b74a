import { z } from "zod";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";

/** The form of JSON that a client asks the final answer to have; without a schema, any JSON object. */
export interface AnswerFormat {
  name?: string;
  description?: string;
  /** A JSON Schema. */
  schema?: JsonObject;
  /** Whether the provider is asked to hold the model to the schema strictly. */
  strict?: boolean;
}

/** An answer that has its format, as bare JSON, or what is wrong with it. */
export type CheckedAnswer = { json: string } | { fault: string };

/**
 * The check of answers against a format. Regular expressions of a schema are for the model only: they are not checked,
 * because a malicious one could run for ever.
 * @throws Error that says which part of the schema cannot be checked
 */
export function answerCheck({ schema }: AnswerFormat): (text: string) => CheckedAnswer {
  const expected = schema === undefined ? undefined : z.fromJSONSchema(checkable(schema));
  return (text) => {
    const json = bareJson(text);
    const value = parsed(json);
    if (value === undefined) return { fault: "It is not JSON." };
    if (expected === undefined) return isJsonObject(value) ? { json } : { fault: "It is not a JSON object." };
    const checked = expected.safeParse(value);
    return checked.success ? { json } : { fault: z.prettifyError(checked.error) };
  };
}

/** What the model is told about the format, for providers that do not hold it to one. */
export function formatInstruction({ description, schema }: AnswerFormat): string {
  const only = "and nothing else: no words before or after it, and no code fence.";
  if (schema === undefined) return `The final answer is one JSON object ${only}`;
  const what = description === undefined ? "" : ` It is: ${description}`;
  return `The final answer is JSON that matches this JSON Schema, ${only}${what}\n\n${JSON.stringify(schema)}`;
}

/** Models often put JSON between the lines of a code fence, whatever they are told. */
function bareJson(text: string): string {
  const fenced = /^```(?:json)?[ \t]*\n([\s\S]*)\n[ \t]*```$/i.exec(text.trim());
  return (fenced?.[1] ?? text).trim();
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose values are schemas by name; the names are not keywords. */
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);

/** A schema without regular expressions. */
function checkable(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === "pattern" || keyword === "patternProperties") return [];
    if (DATA.has(keyword)) return [[keyword, value] as const];
    if (NAMED.has(keyword) && isJsonObject(value)) {
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, nested(one)]))] as const];
    }
    return [[keyword, Array.isArray(value) ? value.map(nested) : nested(value)] as const];
  });
  // What the names of further properties must look like is not checked either, so all are allowed.
  const isOpen = "patternProperties" in schema && "additionalProperties" in schema;
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: true }) };
}

function nested(value: JsonObject[string]): JsonObject[string] {
  return isJsonObject(value) ? checkable(value) : value;
}
