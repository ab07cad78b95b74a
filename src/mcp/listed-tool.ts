import { shortDigest } from "../lib/digest.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { head } from "../lib/text.ts";
import { neutralizeText } from "../security/external-content.ts";
import { detectInjection } from "../security/external-content-detection.ts";
import { sanitizeLinesForPrompt } from "../security/sanitize.ts";
import { MAX_TOOL_NAME_CHARS, mcpToolName, NAME_DIGEST_CHARS } from "../security/tool-policy.ts";
import { steersAgent } from "./steering.ts";

/** A tool of a server as models are shown it, once its words are made harmless. */
export interface ListedTool {
  /** Its name there. */
  tool: string;
  /** Its name here: `mcp_<server>_<tool>`. */
  name: string;
  description: string;
  /** The JSON Schema of its arguments. */
  parameters: JsonObject;
  /** Digest of everything that the server says of it. */
  digest: string;
  /** What its words look like: patterns of prompt injections, or `steers-agent`; absent if they look like none. */
  suspected?: readonly string[];
}

/** A tool that models cannot be given, and why. */
export interface LeftOutTool {
  tool: string;
  why: string;
}

/** A tool as a server lists it. */
export interface RawTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: unknown;
  /** What it says of its effects. Hints of a stranger: no guard is lowered by them. */
  annotations?: unknown;
}

/** Most tools of one server, and most characters of what is shown of one. */
const MAX_TOOLS = 300;
const MAX_DESCRIPTION_CHARS = 1000;
const MAX_PARAMETERS_CHARS = 8000;
const MAX_TEXT_CHARS = 300;
const MAX_VALUE_CHARS = 500;
const MAX_DEPTH = 12;
/** Most characters of all tools together: they are stored in one row. */
const MAX_ALL_CHARS = 600_000;
/** Most characters of a tool as it comes. */
const MAX_RAW_CHARS = 64_000;

/** What not all providers take in the name of a tool. */
const FORBIDDEN_IN_NAMES = /[^A-Za-z0-9_-]+/g;

/** Reads the tools of a server. */
export async function readTools(
  server: string,
  raw: readonly RawTool[],
): Promise<{ tools: ListedTool[]; leftOut: LeftOutTool[] }> {
  const tools: ListedTool[] = [];
  const leftOut: LeftOutTool[] = [];
  const taken = new Set<string>();
  let room = MAX_ALL_CHARS;
  for (const one of raw.slice(0, MAX_TOOLS)) {
    const tool = head(sanitizeLinesForPrompt(one.name).replace(/\s+/g, " "), MAX_TEXT_CHARS);
    const name = await toolName(server, one.name);
    const read = taken.has(name)
      ? { why: "another of its tools has the same name here" }
      : await readTool(one, name, server);
    if ("why" in read) leftOut.push({ tool, why: read.why });
    else {
      room -= JSON.stringify(read).length;
      if (room < 0) {
        leftOut.push({ tool: "the rest", why: `all take over ${MAX_ALL_CHARS} characters together` });
        break;
      }
      taken.add(name);
      tools.push(read);
    }
  }
  if (raw.length > MAX_TOOLS) leftOut.push({ tool: `${raw.length - MAX_TOOLS} more`, why: `it has over ${MAX_TOOLS}` });
  return { tools, leftOut };
}

/**
 * The name of a tool for models; where it was changed or shortened, it ends with a digest of its name there: what a name
 * means does not depend on the other tools.
 */
async function toolName(server: string, tool: string): Promise<string> {
  const name = mcpToolName(server, tool.replace(FORBIDDEN_IN_NAMES, "_"));
  if (name.length <= MAX_TOOL_NAME_CHARS && name === mcpToolName(server, tool)) return name;
  const suffix = (await shortDigest(tool)).slice(0, NAME_DIGEST_CHARS);
  return `${name.slice(0, MAX_TOOL_NAME_CHARS - NAME_DIGEST_CHARS - 1)}_${suffix}`;
}

async function readTool(raw: RawTool, name: string, server: string): Promise<ListedTool | { why: string }> {
  const { title, description = "", inputSchema, annotations } = raw;
  const said: Json = JSON.parse(JSON.stringify({ name: raw.name, title, description, inputSchema, annotations }));
  const text = canonicalJson(said);
  if (text.length > MAX_RAW_CHARS) return { why: `it is described in over ${MAX_RAW_CHARS} characters` };
  const parameters = cleanSchema(JSON.parse(JSON.stringify(inputSchema)));
  if (typeof parameters === "string") return { why: parameters };
  const shown = clean([title, description].filter((part) => part).join(": "), MAX_DESCRIPTION_CHARS);
  const words = `${shown}\n${textsIn(parameters).join("\n")}`;
  const suspected = [...detectInjection(words), ...(steersAgent(words, server) ? ["steers-agent"] : [])];
  return {
    tool: raw.name,
    name,
    description: shown,
    parameters,
    digest: await shortDigest(text),
    ...(suspected.length > 0 && { suspected }),
  };
}

/** Words of a server without invisible characters and look-alikes of the prompt's structure, bounded. */
function clean(text: string, max: number): string {
  const harmless = neutralizeText(sanitizeLinesForPrompt(text)).trim();
  return harmless.length <= max ? harmless : `${head(harmless, max - 2)} …`;
}

/** Names that are of no use to a model, or that not all providers take. */
const DROPPED = new Set(["$schema", "$id", "$comment", "examples", "patternProperties"]);
/** Fields that only explain. */
const EXPLAINING = new Set(["description", "title"]);
/** Names of parameters that all providers take; and those of JSON Schema itself. */
const NAME = /^[$\w.-]{1,64}$/;

/** A schema whose texts are harmless and bounded; or why models cannot be given it. */
function cleanSchema(schema: Json): JsonObject | string {
  try {
    const cleaned = cleanValue(schema, 0);
    if (!isJsonObject(cleaned)) return "its parameters are no object";
    if (JSON.stringify(cleaned).length > MAX_PARAMETERS_CHARS)
      return `its parameters take over ${MAX_PARAMETERS_CHARS} characters`;
    return { ...cleaned, type: "object" };
  } catch (error) {
    if (error instanceof SchemaFault) return error.message;
    throw error;
  }
}

class SchemaFault extends Error {}

function cleanValue(value: Json, depth: number): Json {
  if (depth > MAX_DEPTH) throw new SchemaFault("its parameters are nested too deeply");
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, depth + 1));
  if (typeof value === "string") {
    if (value.length <= MAX_VALUE_CHARS && clean(value, MAX_VALUE_CHARS) === value.trim()) return value;
    throw new SchemaFault("a value in its parameters cannot be shown");
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !DROPPED.has(name));
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      if (!NAME.test(name)) throw new SchemaFault("a parameter has a name that models do not take");
      if (EXPLAINING.has(name) && typeof inner === "string") return [name, clean(inner, MAX_TEXT_CHARS)];
      return [name, cleanValue(inner, depth + 1)];
    }),
  );
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
