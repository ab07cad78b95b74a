import type { McpServer } from "../config/mcp-schema.ts";
import { within } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { type ConnectDeps, type Connection, connect, type KnownProtocol } from "./connect.ts";
import { failureOf, type ServerFailure, serverWords } from "./failure.ts";
import { type RawTool, readTools } from "./listed-tool.ts";
import { type McpDeps, timeoutMsOf } from "./mcp-deps.ts";
import { serverState } from "./server-state.ts";
import { accepting, type Listing, readServer, saveFailure, saveListing } from "./server-store.ts";

/** How long a server may take to say what it offers. */
const LIST_MS = 8_000;
/** Most characters of what a server says when it is discovered; above that it is discovered anew each time. */
const MAX_DISCOVERY_CHARS = 20_000;

/** What asking a server came to. */
export type Asked = { kind: "listed"; listing: Listing } | { kind: "failed"; failure: ServerFailure };

/**
 * Asks a server what it offers, and stores that or why not. What it offers at first counts as accepted, except for tools
 * that look like a prompt injection: the owner has just named the server.
 * @throws the error of D1
 */
export async function listServer(server: McpServer, deps: McpDeps): Promise<Asked> {
  const { database, now } = deps;
  const place = { name: server.name, url: server.config.url };
  const asked = await askServer(server, deps);
  if (asked.kind === "failed") {
    await saveFailure(database, place, asked.failure, now());
    return asked;
  }
  const { listing } = asked;
  const before = await readServer(database, server.name);
  await saveListing(
    database,
    place,
    { listing, first: accepting(listing.tools.filter((tool) => !tool.suspected)) },
    now(),
  );
  const known = new Set(before?.listing?.tools.map(({ digest }) => digest));
  const { pending } = serverState(server, await readServer(database, server.name));
  const held = pending.filter(({ tool }) => !known.has(tool.digest)).map(({ tool }) => tool.tool);
  if (held.length > 0) await deps.noteHeldBack(server.name, held);
  return asked;
}

/** When this isolate began to ask servers, by name and address: the turns of a busy agent would all ask. */
const asking = new Map<string, number>();
/** After that long an attempt counts as lost with its request. */
const LOST_MS = 60_000;

/** Asks a server what it offers, in the background; undefined if this isolate does so already. Never rejects. */
export function listServerLater(server: McpServer, deps: McpDeps): Promise<unknown> | undefined {
  const key = `${server.name} ${server.config.url}`;
  if (deps.now() - (asking.get(key) ?? Number.NEGATIVE_INFINITY) < LOST_MS) return undefined;
  asking.set(key, deps.now());
  const work = listServer(server, deps)
    .then((asked) => {
      if (asked.kind === "failed") log("warn", "mcp.not_listed", { server: server.name, kind: asked.failure.kind });
    })
    .catch((error: unknown) => log("error", "mcp.not_stored", { server: server.name, error: messageOf(error) }))
    .finally(() => asking.delete(key));
  deps.waitUntil(work);
  return work;
}

/** Asks a server what it offers, and stores nothing. Never rejects. */
export async function askServer(server: McpServer, deps: ConnectDeps & Pick<McpDeps, "waitUntil">): Promise<Asked> {
  const timeoutMs = Math.min(LIST_MS, timeoutMsOf(server));
  let connection: Connection | undefined;
  try {
    connection = await connect(server, deps, { timeoutMs });
    const { client, protocol } = connection;
    const { tools: hasTools, resources } = client.getServerCapabilities() ?? {};
    const raw = hasTools === undefined ? [] : await allTools(client, timeoutMs);
    const { tools, leftOut } = await readTools(server.name, raw);
    const { name = "", version = "" } = client.getServerVersion() ?? {};
    const about = serverWords(`${name} ${version}`.trim());
    return {
      kind: "listed",
      listing: { tools, leftOut, about, protocol: bounded(protocol), ...(resources && { hasResources: true }) },
    };
  } catch (error) {
    return { kind: "failed", failure: failureOf(error, timeoutMs) };
  } finally {
    if (connection !== undefined) deps.waitUntil(connection.close());
  }
}

/** The tools on all pages of the list, within one limit of time. */
function allTools(client: Connection["client"], timeoutMs: number): Promise<RawTool[]> {
  return within(timeoutMs, async (signal) => (await client.listTools({}, { timeout: timeoutMs, signal })).tools);
}

/** What is worth storing of how a server is spoken to. */
function bounded({ discovery, ...protocol }: KnownProtocol): KnownProtocol {
  const isSmall = discovery !== undefined && JSON.stringify(discovery).length <= MAX_DISCOVERY_CHARS;
  return { ...protocol, ...(isSmall && { discovery }) };
}
