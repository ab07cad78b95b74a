import { z } from "zod";
import type { JsonObject } from "../lib/json.ts";
import type { ImageRef, MadeFile, PageRef, SpillRef, Usage } from "../models/message.ts";
import type { ToolSchema } from "../models/model.ts";
import type { Label } from "../security/labels.ts";

/**
 * One thing that the agent can do.
 *
 * `run` throws for every failure (an `Error` whose message the model can act on); the loop turns that into an error
 * result. It must stop when `call.signal` aborts. `replay` says what happens after a crash: an idempotent (`safe`) tool
 * is run again; an `unsafe` one is not, and the model reads that its effect is unknown.
 */
export interface Tool<Args = never> {
  readonly name: string;
  /** One line for the prompt's list of tools. */
  readonly summary: string;
  /** What a model needs to know to use it; never names a channel. */
  readonly description: string;
  readonly parameters: z.ZodType<Args>;
  /** The JSON Schema of its arguments where it comes from outside; else it is made from `parameters`. */
  readonly schema?: JsonObject;
  /** How the prompt lists it together with other tools: all with the same name are one line. */
  readonly listedAs?: { name: string; summary: string };
  readonly replay: "safe" | "unsafe";
  /** True if calls must keep their order: it runs alone, after the calls before it. */
  readonly sequential: boolean;
  /** What a call would do that later turns or other people see; absent if it only reads and writes files. */
  effects?(args: Args): readonly Effect[];
  /** The question to ask a person before a call may run; undefined (or absent) if it needs no approval. */
  approval?(args: Args): string | undefined;
  /** Set if `approval` is asked for each call: allowing one allows no other. */
  readonly asksEachTime?: true;
  run(args: Args, call: ToolCall): Promise<ToolOutput>;
}

/** What a call does besides reading, and writing files that nobody obeys. */
export type Effect =
  /** Changes what later turns obey: a bootstrap file, a skill, the configuration. */
  | { kind: "persist"; what: string; shown?: string }
  /** Sends a message to a conversation other than the turn's own, `channel:conversation`. */
  | { kind: "send"; to: string; shown?: string }
  /** Reads what only the owner should see. */
  | { kind: "read"; what: string }
  /** Requests an address; `sends` are words that go with it, if any do. */
  | { kind: "reach"; url: string; sends?: string }
  /** Asks a service that the configuration names for this tool. `secretWords` are words that look like a secret. */
  | { kind: "query"; url: string; secretWords?: string }
  /** Runs a script. */
  | { kind: "run"; script: string }
  /** Sends arguments to a server that the configuration names, as a call of one of its tools. */
  | { kind: "call"; tool: string; server: string; url: string; isTrusted: boolean; shown: string };

/** What "always" would allow: this tool with these programs, hosts and conversations, and no others. */
export interface GrantScope {
  tool: string;
  programs?: readonly string[];
  hosts?: readonly string[];
  conversations?: readonly string[];
}

/** The context of a call. */
export interface ToolCall {
  readonly callId: string;
  /** Whether an owner has allowed exactly this call, or all like it. */
  readonly approved: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Emits progress to live clients; it is not stored. */
  update(text: string): void;
}

export interface ToolOutput {
  text: string;
  images?: ImageRef[];
  /** Files that it has made for people: they are sent with the run's reply. */
  files?: MadeFile[];
  /** The pages that it shows, for people to open. */
  sources?: PageRef[];
  /** What it has spent on models and services. */
  usage?: Usage;
  /** Where words in it come from that are not the owner's; those words are fenced. */
  labels?: readonly Label[];
  /** Set if it says what went wrong in words from outside, which an error cannot carry. */
  failed?: true;
}

/** The output as stored: whole, or a preview and a reference to the whole text. */
export interface KeptOutput extends ToolOutput {
  spill?: SpillRef;
}

/** A tool with any arguments, for lists. */
// biome-ignore lint/suspicious/noExplicitAny: arguments are checked against `parameters` before `run` sees them
export type AnyTool = Tool<any>;

/** Defines a tool whose argument type is inferred from the schema. */
export function defineTool<Args>(tool: Tool<Args>): Tool<Args> {
  return tool;
}

const schemas = new WeakMap<AnyTool["parameters"], JsonObject>();

/** A tool as a model sees it. Its JSON Schema (draft 2020-12, without `$schema`) is cached for each zod schema. */
export function toolSchema(tool: AnyTool): ToolSchema {
  let parameters = tool.schema ?? schemas.get(tool.parameters);
  if (parameters === undefined) {
    parameters = jsonSchema(tool.parameters, withoutBounds);
    schemas.set(tool.parameters, parameters);
  }
  return { name: tool.name, description: tool.description, parameters };
}

/** The JSON Schema of what a zod schema takes, without `$schema`. */
export function toJsonSchema(schema: z.ZodType): JsonObject {
  return jsonSchema(schema, withoutUsualBounds);
}

function jsonSchema(schema: z.ZodType, override: (part: SchemaPart) => void): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", override });
  return JSON.parse(JSON.stringify(rest));
}

interface SchemaPart {
  jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** Takes out more bounds, for which every request would pay. Arguments that break them are explained. */
function withoutBounds(part: SchemaPart): void {
  withoutUsualBounds(part);
  const { jsonSchema } = part;
  for (const bound of ["maxLength", "pattern", "minItems", "maxItems"] as const) delete jsonSchema[bound];
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // No model gives a negative number of lines, and a field that is left out is empty without a word.
  if (jsonSchema.minimum === 0 || jsonSchema.minimum === 1) delete jsonSchema.minimum;
  if ([0, "", false].some((empty) => jsonSchema.default === empty)) delete jsonSchema.default;
}

/** Takes out what goes without saying. The arguments are still checked for it. */
function withoutUsualBounds({ jsonSchema }: SchemaPart): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
  if (jsonSchema.type === "object") delete jsonSchema.propertyNames;
}
