import { type AgentMemory, MemoryError, type MemoryErrorCode } from "../memory/agent-memory.ts";
import { wrapExternal } from "../security/external-content.ts";

/** An agent's memory as tools look into it. */
export type MemoryPort = Pick<AgentMemory, "search" | "read">;

/** What the tools of a turn recall with. */
export interface RecallPort {
  memory: MemoryPort;
  /** Whether each passage brings the line by which it is cited. */
  cites: boolean;
  /** Eight random bytes as 16 hex digits, to fence off what others said. */
  newFenceId(): string;
}

const FIXES: Record<MemoryErrorCode, string> = {
  bad_path:
    "Give a path as memory_search shows it, such as MEMORY.md or memory/2026-01-31.md; other files are for read.",
  not_found: "Use memory_search to find where it stands, or ls to see which files there are.",
  not_text: "Use read where it is an image.",
  unavailable: "Try once more; else use grep and read on MEMORY.md and memory/.",
  disabled: "Use grep and read on MEMORY.md and memory/.",
};

/** What a memory answers. @throws Error where it says no, with what to do instead */
export async function recalled<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    throw new Error(`${error.message.replace(/[.!]?$/, ".")} ${FIXES[error.code]}`, { cause: error });
  }
}

/** What was said in conversations, by whomever, as a model is shown it. */
export function fencedConversation(text: string, id: string): string {
  return wrapExternal(text, { source: "unknown", id, metadata: { From: "conversations" } });
}
