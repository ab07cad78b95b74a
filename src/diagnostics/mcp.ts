import type { McpServer } from "../config/mcp-schema.ts";
import { fixFor } from "../mcp/failure.ts";
import { askServer } from "../mcp/list-server.ts";
import { type ServerState, serverState } from "../mcp/server-state.ts";
import { readServer } from "../mcp/server-store.ts";
import type { Services } from "../services/services.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Asks each MCP server what it offers, and compares that with what the owner has accepted. */
export async function examineMcp({ services, origin }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const servers = Object.entries(services.config.mcp.servers).filter(([, { enabled }]) => enabled);
  const checks = servers.map(([name, config]) => examineServer({ name, config }, services, origin));
  return (await Promise.all(checks)).flat();
}

async function examineServer(server: McpServer, { mcp }: Services, origin: string): Promise<Check[]> {
  const { name, config } = server;
  const head = { id: `mcp.${name}`, area: "mcp", path: `mcp.servers.${name}` } as const;
  const [asked, row] = await Promise.all([askServer(server, mcp), readServer(mcp.database, name)]);
  if (asked.kind === "failed") {
    const { failure } = asked;
    return [{ ...head, status: "warn", message: `${name}: ${failure.message}`, fix: fixFor(failure, name, origin) }];
  }
  const { listing } = asked;
  const accepted = row?.url === config.url ? row.accepted : undefined;
  const state = serverState(server, {
    ...{ name, url: config.url, askedAt: mcp.now(), listing },
    ...(accepted && { accepted }),
  });
  const offered = state.tools.length + state.pending.length;
  const message = `${name} (${listing.about || state.host}) answers with ${offered} of ${listing.tools.length} tools that are taken.`;
  return [{ ...head, status: "ok", message }, ...heldBack(state, accepted !== undefined), ...leftOut(state)];
}

/** Before the first turn has asked it, nothing is accepted, and nothing held back. */
function heldBack({ name, pending }: ServerState, isKnown: boolean): Check[] {
  if (pending.length === 0 || !isKnown) return [];
  const tools = pending.map(({ tool }) => tool.tool).join(", ");
  const message = `${name}: tools that are new or have changed since they were accepted are held back: ${tools}.`;
  return [check(name, "pending", message, "Type /mcp to see and accept them.")];
}

function leftOut({ name, leftOut: tools }: ServerState): Check[] {
  if (tools.length === 0) return [];
  const message = `${name}: models cannot be given ${tools.map(({ tool, why }) => `${tool} (${why})`).join(", ")}.`;
  return [
    check(name, "left_out", message, `Correct them at the server, or name them in mcp.servers.${name}.tools.deny.`),
  ];
}

function check(name: string, what: string, message: string, fix: string): Check {
  return { id: `mcp.${name}.${what}`, area: "mcp", path: `mcp.servers.${name}`, status: "warn", message, fix };
}
