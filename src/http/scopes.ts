import type { Scope } from "../services/tokens.ts";

/** Routes that need `admin` for every method, and those that need it for changes. */
const ADMIN = /^\/mcp\/|^\/v1\/(?:tokens|pairings)(?:\/|$)|^\/v1\/audit\/export$/;
const ADMIN_TO_CHANGE =
  /^\/v1\/(?:config|approvals|plugins|skills|doctor|jobs|heartbeats|channels)(?:\/|$)|^\/v1\/agents\/[^/]+\/(?:skills|bootstrap|labels|time-zone)(?:\/|$)|^\/v1\/sessions\/[^/]+\/grants(?:\/|$)/;
/** What everybody who is logged in may do. */
const OWN = /^\/v1\/(?:me|logout)$/;
/** It changes nothing, and its query is too long for an address. */
const SEARCH = /^\/v1\/agents\/[^/]+\/memory\/search$/;
/** Each tool there says which scope it needs. */
const MCP = /^\/mcp$/;
/** A socket sends messages. */
const SOCKET = /^\/v1\/sessions\/[^/]+\/socket$/;

/** The scope that a request below `/v1`, to `/mcp` or below it needs. */
export function scopeOf(method: string, path: string): Scope {
  if (OWN.test(path) || MCP.test(path) || (method === "POST" && SEARCH.test(path))) return "read";
  if (ADMIN.test(path)) return "admin";
  if (method !== "GET" && method !== "HEAD") return ADMIN_TO_CHANGE.test(path) ? "admin" : "write";
  return SOCKET.test(path) ? "write" : "read";
}
