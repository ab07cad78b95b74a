import { callsOf } from "../models/message.ts";
import { answer } from "./answer.ts";
import type { LoopDeps } from "./loop-deps.ts";
import type { AnyTool } from "./tool.ts";

/** Most replies of one flush; then it is over, whatever it still wanted. */
const MAX_REPLIES = 8;

/** What may be called in a flush: what is about files and memory. */
const TOOLS: ReadonlySet<string> = new Set(["read", "write", "edit", "ls", "memory_search", "memory_get"]);

/**
 * The loop as it is while a memory flush goes on. Nobody hears what happens, and tools that do more than write down
 * what is known refuse; what the model is sent stays the same, so that its provider's cache holds.
 */
export function inward(loop: LoopDeps): LoopDeps {
  const tools = loop.tools.map((tool) => (isForMemory(tool) ? tool : refusing(tool)));
  return { ...loop, tools, emit: () => undefined };
}

/** Nobody can be asked meanwhile. */
function isForMemory({ name, approval }: AnyTool): boolean {
  return TOOLS.has(name) && approval === undefined;
}

function refusing({ approval: _, ...tool }: AnyTool): AnyTool {
  const run = async () => {
    throw new Error("Not now: this turn is only for writing memory. Answer NO_REPLY when that is done.");
  };
  return { ...tool, replay: "safe", run };
}

/** Asks once in a memory flush. The calls of the reply are to be run as long as there are few; then it is over. */
export async function askInFlush(loop: LoopDeps, signal: AbortSignal): Promise<void> {
  const { journal } = loop;
  const reply = await answer(inward(loop), journal.context(), signal);
  if (reply.stop === "aborted") return;
  const goesOn = callsOf(reply).length > 0 && (journal.flushReplies ?? 0) + 1 < MAX_REPLIES;
  if (goesOn) journal.answered(reply);
  else journal.flushed(reply);
}

/** What the agent is asked in a memory flush. @param date of today where the user is, as YYYY-MM-DD */
export function flushPrompt(date: string): string {
  return (
    "[System] This conversation is about to be shortened: its older part will be summarized, and details get lost. " +
    `Before that, write what is worth keeping for good to memory/${date}.md, and change nothing else: facts about the ` +
    "user, decisions, agreements, dates, results, and what is still to be done. If the file is there, read it and add " +
    "to its end; never drop what is in it. Note nothing twice, and no secrets. Nobody sees this turn: do not answer the " +
    "conversation, you will do that right after. When everything is written, or nothing is worth it, reply NO_REPLY."
  );
}
