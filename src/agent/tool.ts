import { z } from "zod";
import type { JsonObject } from "../lib/json.ts";
import type { ImageRef, SpillRef } from "../models/message.ts";
import type { ToolSchema } from "../models/model.ts";

/**
 * One thing that the agent can do.
 *
 * `run` throws for every failure (an `Error` whose message the model can act on); the loop turns that into an error
 * result. It must stop when `call.signal` aborts. `replay` says what may happen after a crash: a `safe` tool is run
 * again, because twice is the same as once; an `unsafe` one is not, and the model is told that its effect is unknown.
 */
export interface Tool<Args = never> {
  readonly name: string;
  /** One line for the prompt's list of tools. */
  readonly summary: string;
  /** What a model needs to use it well; never names a channel. */
  readonly description: string;
  readonly parameters: z.ZodType<Args>;
  readonly replay: "safe" | "unsafe";
  /** True where its order among other calls matters: it runs alone, after those before it. */
  readonly sequential: boolean;
  /** The question to put to a person before a call may run; undefined (or absent) where nobody has to be asked. */
  approval?(args: Args): string | undefined;
  run(args: Args, call: ToolCall): Promise<ToolOutput>;
}

/** What a tool is given beside its arguments. */
export interface ToolCall {
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Shows progress to whoever watches; it is not kept. */
  update(text: string): void;
}

export interface ToolOutput {
  text: string;
  images?: ImageRef[];
}

/** What a transcript keeps of an output: all of it, or a preview and where the whole of the text is. */
export interface KeptOutput extends ToolOutput {
  spill?: SpillRef;
}

/** A tool of any arguments, as lists hold them. */
// biome-ignore lint/suspicious/noExplicitAny: arguments are checked against `parameters` before `run` sees them
export type AnyTool = Tool<any>;

/** Writes a tool down with its arguments' type inferred from the schema. */
export function defineTool<Args>(tool: Tool<Args>): Tool<Args> {
  return tool;
}

const schemas = new WeakMap<AnyTool["parameters"], JsonObject>();

/** A tool as a model sees it. Its JSON Schema (draft 2020-12, without `$schema`) is made once for each zod schema. */
export function toolSchema(tool: AnyTool): ToolSchema {
  let parameters = schemas.get(tool.parameters);
  if (parameters === undefined) {
    parameters = jsonSchemaOf(tool.parameters);
    schemas.set(tool.parameters, parameters);
  }
  return { name: tool.name, description: tool.description, parameters };
}

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return JSON.parse(JSON.stringify(rest));
}
