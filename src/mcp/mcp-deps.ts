import type { McpServer } from "../config/mcp-schema.ts";
import type { DataKey } from "../security/data-key.ts";
import type { StreamingFetch } from "../security/streaming-fetch.ts";

/** What reaching MCP servers needs. */
export interface McpDeps {
  database: D1Database;
  /** The guarded way out. */
  fetch: StreamingFetch;
  /** The value of a variable or secret of the Worker. */
  secret(name: string): string | undefined;
  /** Encrypts the tokens of sign-ins; undefined where `ISOPOD_DATA_KEY` is not set. */
  dataKey: DataKey | undefined;
  /** Notes that tools of a server are held back, because they are new or are not what was accepted. Never rejects. */
  noteHeldBack(server: string, tools: readonly string[]): Promise<void>;
  /** Records that the sign-in at a server is no longer valid, and why. Never rejects. */
  noteSignInLost(server: string, why: string): Promise<void>;
  /** Keeps the caller alive for work that nobody awaits. */
  waitUntil(promise: Promise<unknown>): void;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** How long a call of a server may take, in milliseconds. */
export function timeoutMsOf({ config }: McpServer): number {
  return config.timeoutSeconds * 1000;
}
