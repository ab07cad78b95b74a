import { type Context, Hono } from "hono";
import { z } from "zod";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { VERSION } from "../lib/version.ts";
import { includesScope } from "../services/tokens.ts";
import { MCP_PATH } from "./base-app.ts";
import type { AppEnv } from "./context.ts";
import { SERVED_TOOLS, type ServedTool, servedSchema, type ToolAnswer } from "./mcp-tools.ts";
import { readBody } from "./request-body.ts";

/** The revisions of the protocol that are spoken, the newest first. None needs a session here. */
const REVISIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const [NEWEST = ""] = REVISIONS;

/** Room for the longest message with every character of it escaped, and for the other fields. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

const INSTRUCTIONS =
  "Isopod is a personal AI agent with its own memory, files and conversations. Ask it with ask; look things up " +
  "yourself with the other tools.";

/** Codes of JSON-RPC. */
const CODES = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 } as const;

/** An error that the protocol answers with. */
class ProtocolFault extends Error {
  readonly code: number;

  constructor(code: keyof typeof CODES, message: string) {
    super(message);
    this.code = CODES[code];
  }
}

const id = z.union([z.string(), z.number()]);

/** A request, a notification (without an id), or an answer to a request that was never made (without a method). */
const incoming = z.object({
  jsonrpc: z.literal("2.0"),
  id: id.optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});

type Incoming = z.infer<typeof incoming>;

/** `POST /mcp`: this agent as a server of the Model Context Protocol, by Streamable HTTP without sessions. */
export const mcpRoutes = new Hono<AppEnv>();

mcpRoutes.post(MCP_PATH, async (c) => {
  const known: Pick<Incoming, "id"> = {};
  try {
    const message = await readMessage(c);
    if (message.id === undefined || message.method === undefined) return c.body(null, 202);
    known.id = message.id;
    return c.json({ jsonrpc: "2.0", id: message.id, result: await resultOf(message.method, message.params ?? {}, c) });
  } catch (error) {
    const fault = faultOf(error);
    const status = known.id === undefined ? 400 : 200;
    return c.json(
      { jsonrpc: "2.0", id: known.id ?? null, error: { code: fault.code, message: fault.message } },
      status,
    );
  }
});

/** @throws ProtocolFault */
async function readMessage(c: Context<AppEnv>): Promise<Incoming> {
  const revision = c.req.header("MCP-Protocol-Version");
  if (revision !== undefined && !REVISIONS.includes(revision)) {
    throw new ProtocolFault(
      "request",
      `The protocol version ${revision.slice(0, 40)} is not spoken here: use ${REVISIONS.join(", ")}.`,
    );
  }
  const text = new TextDecoder().decode(await readBody(c.req.raw, MAX_BODY_BYTES));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ProtocolFault("parse", "The body is no JSON.");
  }
  if (Array.isArray(json)) throw new ProtocolFault("request", "Send one message at a time.");
  const message = incoming.safeParse(json);
  if (!message.success) throw new ProtocolFault("request", z.prettifyError(message.error));
  return message.data;
}

async function resultOf(method: string, params: object, c: Context<AppEnv>): Promise<object> {
  switch (method) {
    case "initialize":
      return initialized(params);
    case "ping":
      return {};
    case "tools/list":
      return { tools: toolsFor(c).map(listed) };
    case "tools/call":
      return called(params, c);
    default:
      throw new ProtocolFault("method", `There is no method '${method.slice(0, 80)}' here.`);
  }
}

/** The client's revision if it is spoken here, else the newest, which the client may refuse. */
function initialized(params: object): object {
  const { protocolVersion } = params as { protocolVersion?: unknown };
  return {
    protocolVersion: REVISIONS.find((revision) => revision === protocolVersion) ?? NEWEST,
    capabilities: { tools: {} },
    serverInfo: { name: "isopod", title: "Isopod", version: VERSION },
    instructions: INSTRUCTIONS,
  };
}

/** The tools that the caller's token may use. */
function toolsFor(c: Context<AppEnv>): ServedTool[] {
  const { scope } = c.get("caller");
  return SERVED_TOOLS.filter((tool) => includesScope(scope, tool.scope));
}

function listed(tool: ServedTool): object {
  const { name, title, description, scope } = tool;
  return { name, title, description, inputSchema: servedSchema(tool), annotations: { readOnlyHint: scope === "read" } };
}

const callParams = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) });

/** What a tool cannot do is a result, so that the client's model reads it. @throws ProtocolFault for an unknown tool */
async function called(params: object, c: Context<AppEnv>): Promise<object> {
  const call = callParams.safeParse(params);
  if (!call.success) throw new ProtocolFault("params", z.prettifyError(call.error));
  const { name, arguments: given } = call.data;
  const tool = SERVED_TOOLS.find((one) => one.name === name);
  if (tool === undefined) {
    const names = toolsFor(c).map((one) => one.name);
    throw new ProtocolFault("params", `There is no tool '${name.slice(0, 80)}'. There is: ${names.join(", ")}.`);
  }
  const { scope, name: caller } = c.get("caller");
  if (!includesScope(scope, tool.scope)) {
    throw new ProtocolFault(
      "params",
      `${name} needs a token with the scope '${tool.scope}'; '${caller}' has '${scope}'.`,
    );
  }
  const args = tool.parameters.safeParse(given);
  if (!args.success) return toolResult({ text: `Wrong arguments.\n${z.prettifyError(args.error)}`, isError: true });
  try {
    return toolResult(await tool.run(args.data, c));
  } catch (error) {
    if (!(error instanceof IsopodError)) throw error;
    return toolResult({
      text: [error.message, error.hint].filter((part) => part !== undefined).join(". "),
      isError: true,
    });
  }
}

function toolResult({ text, isError = false }: ToolAnswer): object {
  return { content: [{ type: "text", text }], isError };
}

function faultOf(error: unknown): { code: number; message: string } {
  if (error instanceof ProtocolFault) return error;
  if (error instanceof IsopodError) return { code: CODES.request, message: error.message };
  log("error", "mcp.failed", { error: messageOf(error) });
  return { code: CODES.internal, message: "Something went wrong here. The Worker's log says what." };
}
