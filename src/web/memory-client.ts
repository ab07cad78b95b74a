import { requestJson, type Server } from "../client/http.ts";
import {
  isMemoryPassage,
  isMemoryResults,
  isMemoryStatus,
  type MemoryPassage,
  type MemoryResults,
  type MemoryStatus,
} from "../client/wire.ts";

/** An agent's memory on a server. */
export interface MemoryServer {
  server: Server;
  agentId: string;
}

/** Lines that are shown before and after a passage. */
const AROUND = 6;

/** The status of the index. @throws ApiError */
export function memoryStatus(at: MemoryServer, signal: AbortSignal): Promise<MemoryStatus> {
  return requestJson(at.server, { path: memoryPath(at, "status"), signal }, isMemoryStatus);
}

/** Searches the memory. @throws ApiError */
export function searchMemory(at: MemoryServer, query: string): Promise<MemoryResults> {
  return requestJson(at.server, { method: "POST", path: memoryPath(at, "search"), body: { query } }, isMemoryResults);
}

/** Starts indexing all files again; what takes longer than the request continues by itself. @throws ApiError */
export function indexMemory(at: MemoryServer): Promise<MemoryStatus> {
  return requestJson(
    at.server,
    { method: "POST", path: memoryPath(at, "index"), body: { force: true } },
    isMemoryStatus,
  );
}

/** A passage with some lines before and after it. @throws ApiError */
export function linesAround(
  at: MemoryServer,
  { path, startLine, endLine }: MemoryResults["results"][number],
  signal: AbortSignal,
): Promise<MemoryPassage> {
  const from = Math.max(1, startLine - AROUND);
  const query = new URLSearchParams({ path, from: String(from), lines: String(endLine + AROUND - from + 1) });
  return requestJson(at.server, { path: `${memoryPath(at, "file")}?${query}`, signal }, isMemoryPassage);
}

function memoryPath({ agentId }: MemoryServer, what: "status" | "search" | "index" | "file"): string {
  return `/v1/agents/${encodeURIComponent(agentId)}/memory/${what}`;
}
