import type { Effect, ToolCall, ToolOutput } from "../agent/tool.ts";
import type { ImageRef } from "../models/message.ts";
import { fromOutside, type OutsidePort, type OutsideWords } from "../security/from-outside.ts";
import { excerptLines, type LineRange } from "./file-output.ts";

/** An address of a resource, or of all of a server's: `mcp://<server>/<uri>`. */
export interface ServerAddress {
  /** Empty for all servers. */
  server: string;
  /** Empty for all resources of the server. */
  uri: string;
}

/** What a server has said: words of others. */
export interface ServerWords extends Pick<OutsideWords, "text" | "labels" | "metadata"> {
  images?: ImageRef[];
  /** Set if they say why the server does not give it. */
  failed?: true;
}

/** The resources of MCP servers that a turn may read. */
export interface ServerResources {
  /** The servers that have some, by name. */
  readonly servers: readonly string[];
  /** What reading one does besides: the server is told what is asked for. */
  effects(address: ServerAddress): readonly Effect[];
  /** @throws Error if it cannot be read, or the signal's abort reason */
  read(address: ServerAddress, call: Pick<ToolCall, "signal">): Promise<ServerWords>;
  /** A line for each resource of a server. @throws Error if it does not say, or the signal's abort reason */
  list(server: string, call: Pick<ToolCall, "signal">): Promise<ServerWords>;
}

/** The address that a model typed; undefined for any other text. The resource's own may be percent-encoded or plain. */
export function serverAddressIn(typed: string): ServerAddress | undefined {
  const [, server, rest = ""] = /^\s*mcp:\/\/([^/\s]*)(?:\/(.*?))?\s*$/is.exec(typed) ?? [];
  if (server === undefined) return undefined;
  return { server, uri: /^[a-z][a-z\d+.-]*:/i.test(rest) ? rest : decoded(rest) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing is one.
    return text;
  }
}

/** The effects of reading what a model typed, if that is a server's. */
export function serverEffects(typed: string, resources: ServerResources | undefined): readonly Effect[] {
  const address = serverAddressIn(typed);
  return address === undefined ? [] : (resources?.effects(address) ?? []);
}

/** Lines of a resource, fenced. @throws Error */
export async function readServerResource(
  address: ServerAddress,
  resources: ServerResources | undefined,
  { lines, call, outside }: { lines: LineRange; call: Pick<ToolCall, "signal">; outside: OutsidePort },
): Promise<ToolOutput> {
  const known = knownServer(address, resources);
  if (address.uri === "") throw new Error(`Name a resource: ls on mcp://${address.server}/ shows them.`);
  const { images, failed, text, ...words } = await known.read(address, call);
  const shown = fromOutside({ text: excerptLines(text, lines.from, lines.limit), source: "api", ...words }, outside);
  return { ...shown, ...(images && { images }), ...(failed && { failed }) };
}

/** The resources of a server, fenced; or the servers. @throws Error */
export async function listServerResources(
  address: ServerAddress,
  resources: ServerResources | undefined,
  { call, outside }: { call: Pick<ToolCall, "signal">; outside: OutsidePort },
): Promise<ToolOutput> {
  if (address.server === "" && resources !== undefined && resources.servers.length > 0)
    return { text: resources.servers.map((server) => `mcp://${server}/`).join("\n") };
  const { failed, ...words } = await knownServer(address, resources).list(address.server, call);
  return { ...fromOutside({ source: "api", ...words }, outside), ...(failed && { failed }) };
}

function knownServer({ server }: ServerAddress, resources: ServerResources | undefined): ServerResources {
  if (resources?.servers.includes(server)) return resources;
  const names = resources?.servers.map((name) => `mcp://${name}/`) ?? [];
  const there = names.length === 0 ? "There is none." : `There is ${names.join(", ")}.`;
  throw new Error(`No MCP server '${server}' has resources that can be read here. ${there}`);
}
