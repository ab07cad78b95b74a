import { toolCalls } from "../models/message.ts";
import { answer } from "./answer.ts";
import type { LoopDeps } from "./loop-deps.ts";
import type { AnyTool } from "./tool.ts";

/** The most replies of one flush. */
const MAX_REPLIES = 8;

/** The tools that may be called in a flush: those for files and memory. */
const TOOLS: ReadonlySet<string> = new Set(["read", "write", "edit", "ls", "memory_search", "memory_get"]);

/**
 * The loop during a memory flush. It emits nothing, and other tools refuse their calls; the request stays the same, so
 * that the provider's prompt cache is used.
 */
export function flushLoop(loop: LoopDeps): LoopDeps {
  const tools = loop.tools.map((tool) => (isForMemory(tool) ? tool : refusing(tool)));
  const { toolChoice: _, format: __, ...request } = loop.request;
  return { ...loop, request, tools, emit: () => undefined };
}

/** A tool that may need approval is not available: no person can be asked during a flush. */
function isForMemory({ name, approval }: AnyTool): boolean {
  return TOOLS.has(name) && approval === undefined;
}

function refusing({ approval: _, ...tool }: AnyTool): AnyTool {
  const run = async () => {
    throw new Error("Not now: this turn is only for writing memory. Answer NO_REPLY when that is done.");
  };
  return { ...tool, replay: "safe", run };
}

/** Asks once in a memory flush. The loop runs the reply's calls until the flush has its most replies. */
export async function askInFlush(loop: LoopDeps, signal: AbortSignal): Promise<void> {
  const { journal } = loop;
  const reply = await answer(flushLoop(loop), journal.context(), signal);
  if (reply.stop === "aborted") return;
  const goesOn = toolCalls(reply).length > 0 && (journal.flushReplies ?? 0) + 1 < MAX_REPLIES;
  if (goesOn) journal.answered(reply);
  else journal.flushed(reply);
}

/** The prompt of a memory flush. @param date today in the user's time zone, as YYYY-MM-DD */
export function flushPrompt(date: string): string {
  return (
    "[System] This conversation is about to be shortened: its older part will be summarized, and details get lost. " +
    `Before that, write what is worth keeping for good to memory/${date}.md, and change nothing else: facts about the ` +
    "user, decisions, agreements, dates, results, and what is still to be done. If the file is there, read it and add " +
    "to its end; never drop what is in it. Note nothing twice, and no secrets. Nobody sees this turn: do not answer the " +
    "conversation, you will do that right after. When everything is written, or nothing is worth it, reply NO_REPLY."
  );
}
