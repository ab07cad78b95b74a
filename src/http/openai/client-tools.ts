import { z } from "@hono/zod-openapi";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type AnswerFormat, answerCheck } from "../../models/answer-format.ts";
import type { ToolChoice, ToolSchema } from "../../models/model.ts";
import type { Services } from "../../services/services.ts";
import type { ClientWishes } from "../../session-store/run-input.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";

/** Most tools of a request, and most characters of them, or of a format, as JSON. */
const MAX_TOOLS = 128;
const MAX_TOOLS_CHARS = 200_000;
const MAX_FORMAT_CHARS = 50_000;

const jsonSchema = z.record(z.string(), z.any()).openapi({ description: "A JSON Schema." });
const toolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "a tool's name has 1 to 64 letters, digits, underscores and hyphens")
  .openapi({ description: "Not the name of a tool of the agent's own." });

const functionFields = {
  name: toolName,
  description: z.string().nullish(),
  parameters: jsonSchema.nullish(),
  strict: z.boolean().nullish(),
};
const onlyFunctions = z.literal("function", "only tools of the type function can be offered");

/** A tool of the client's, in the forms of chat completions and of responses. */
export const chatTools = z
  .array(z.looseObject({ type: onlyFunctions, function: z.looseObject(functionFields) }))
  .max(MAX_TOOLS);
export const responseTools = z.array(z.looseObject({ type: onlyFunctions, ...functionFields })).max(MAX_TOOLS);

const mode = z.enum(["auto", "none", "required"]);
const choiceIssue = "expected auto, none, required, or a function by its name";

/** Whether a tool must be called, in both forms. */
export const chatToolChoice = z
  .union([mode, z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: z.string() }) })], {
    error: choiceIssue,
  })
  .transform((choice) => (typeof choice === "string" ? choice : { tool: choice.function.name }));
export const responseToolChoice = z
  .union([mode, z.looseObject({ type: z.literal("function"), name: z.string() })], { error: choiceIssue })
  .transform((choice) => (typeof choice === "string" ? choice : { tool: choice.name }));

const text = z.looseObject({ type: z.literal("text") });
const jsonObject = z.looseObject({ type: z.literal("json_object") });
const named = {
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "a name has 1 to 64 letters, digits, underscores and hyphens"),
  description: z.string().nullish(),
  schema: jsonSchema.nullish(),
  strict: z.boolean().nullish(),
};

/** The form of the answer, in both forms. */
export const chatFormat = z.discriminatedUnion("type", [
  text,
  jsonObject,
  z.looseObject({ type: z.literal("json_schema"), json_schema: z.looseObject(named) }),
]);
export const responseFormat = z.discriminatedUnion("type", [
  text,
  jsonObject,
  z.looseObject({ type: z.literal("json_schema"), ...named }),
]);

/** Fields of a tool or a format as clients send them. */
interface Described {
  name: string;
  description?: string | null | undefined;
  strict?: boolean | null | undefined;
}

/** The wishes of a request, each with the field of the request that it came in. */
export interface RequestedWishes {
  tools: readonly (Described & { parameters?: JsonObject | null | undefined })[];
  /** The path of a tool's name. */
  nameParam(index: number): string;
  choice: "auto" | "none" | "required" | { tool: string } | null | undefined;
  format: AnswerFormat | undefined;
  formatParam: string;
}

/**
 * What a run is told of the wishes of a request; undefined where there are none.
 * @throws IsopodError `invalid_request` for a tool that the agent has itself, an unknown choice, or a schema that cannot
 * be checked
 */
export function clientWishes(request: RequestedWishes, { plugins }: Services): ClientWishes | undefined {
  const { choice, format } = request;
  const tools = choice === "none" ? [] : request.tools.map(toolSchema);
  const taken = new Set([...TOOL_NAMES, ...plugins.tools.map(({ name }) => name)]);
  for (const [index, { name }] of tools.entries()) {
    const param = request.nameParam(index);
    if (taken.has(name)) throw wrong(param, `the agent has a tool '${name}' itself; give yours another name`);
    if (tools.findIndex((tool) => tool.name === name) < index) throw wrong(param, `two tools are named '${name}'`);
  }
  if (JSON.stringify(tools).length > MAX_TOOLS_CHARS) {
    throw wrong("tools", `they are longer than ${MAX_TOOLS_CHARS} characters`);
  }
  const toolChoice = forcedChoice(choice, tools);
  if (format !== undefined) requireCheckable(format, request.formatParam);
  if (tools.length === 0 && format === undefined) return undefined;
  return { ...(tools.length > 0 && { tools }), ...(toolChoice && { toolChoice }), ...(format && { format }) };
}

function toolSchema({ name, description, parameters }: RequestedWishes["tools"][number]): ToolSchema {
  return { name, description: description ?? "", parameters: parameters ?? { type: "object", properties: {} } };
}

function forcedChoice(choice: RequestedWishes["choice"], tools: readonly ToolSchema[]): ToolChoice | undefined {
  if (!choice || choice === "auto" || choice === "none") return undefined;
  if (tools.length === 0) throw wrong("tool_choice", "it is only allowed with tools");
  if (choice !== "required" && !tools.some(({ name }) => name === choice.tool)) {
    throw wrong("tool_choice", `there is no tool '${choice.tool}' among tools`);
  }
  return choice;
}

function requireCheckable(format: AnswerFormat, param: string): void {
  if (JSON.stringify(format).length > MAX_FORMAT_CHARS) {
    throw wrong(param, `it is longer than ${MAX_FORMAT_CHARS} characters`);
  }
  try {
    answerCheck(format);
  } catch (error) {
    throw wrong(param, `the answer cannot be checked against this schema: ${messageOf(error)}`);
  }
}

function wrong(param: string, message: string): IsopodError {
  return new IsopodError("invalid_request", `${param}: ${message}`, undefined, { param, reason: "invalid_value" });
}

/** A format as a run is told it; undefined where the answer is plain text. @param fields those of a JSON schema */
export function answerFormat(
  type: "text" | "json_object" | "json_schema" | undefined,
  fields?: Described & { schema?: JsonObject | null | undefined },
): AnswerFormat | undefined {
  if (type === undefined || type === "text") return undefined;
  const { name, description, schema, strict } = fields ?? {};
  return {
    ...(name !== undefined && { name }),
    ...(description && { description }),
    ...(schema && { schema }),
    ...(strict && { strict }),
  };
}
