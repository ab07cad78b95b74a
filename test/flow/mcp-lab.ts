import { inject } from "vitest";
import type { McpPlace, McpRequest } from "../fakes/mcp-server.ts";
import type { OAuthLog } from "../fakes/oauth-server.ts";
import { configure } from "./session-lab.ts";

/** `host:port` of the servers of MCP. */
export const mcpHost = new URL(inject("mcp")).host;

/** The address of a place. */
export function mcpAt(place: string): string {
  return `${inject("mcp")}/${place}`;
}

/** Says how a server behaves. */
export async function serveMcp(place: string, behaviour: McpPlace): Promise<void> {
  await fetch(`${inject("mcp")}/control/${place}`, { method: "PUT", body: JSON.stringify(behaviour) });
}

/** What a server was asked. */
export async function heardMcp(place: string): Promise<McpRequest[]> {
  return (await fetch(`${inject("mcp")}/control/${place}`)).json();
}

/** What the authorization server of a place has done. */
export async function heardOAuth(place: string): Promise<OAuthLog> {
  return (await fetch(`${inject("mcp")}/oauth/${place}`)).json();
}

/** Ends the access tokens of a place, or all that it has given. */
export async function endTokens(place: string, which: "access" | "all"): Promise<void> {
  await fetch(`${inject("mcp")}/oauth/${place}?${which}`, { method: "DELETE" });
}

/** What an authorization server sends a browser back to Isopod with, once the owner has said yes or no there. */
export async function consent(address: string): Promise<URL> {
  const response = await fetch(address, { redirect: "manual" });
  return new URL(response.headers.get("Location") ?? "");
}

/** The calls of tools that a server got. */
export async function callsOf(place: string): Promise<any[]> {
  return (await heardMcp(place)).flatMap(({ body }) => (body?.method === "tools/call" ? [body.params] : []));
}

/** Gives a session servers, by name; they may be reached although they are on loopback. */
export async function configureMcp(name: string, servers: object, secrets: object = {}): Promise<void> {
  await configure(name, (config) => withServers(config, servers), secrets);
}

/** A configuration with servers. */
export function withServers(config: any, servers: object): object {
  const { egress = {} } = config.security ?? {};
  const allowPrivate = [...(egress.allowPrivate ?? []), mcpHost];
  return { ...config, security: { ...config.security, egress: { ...egress, allowPrivate } }, mcp: { servers } };
}
