import type { LoopHooks } from "../agent/loop-deps.ts";
import { applyToolHooks } from "./apply-tool-hooks.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** The events that happen within a loop. */
const OF_LOOP = [
  "before_tool_call",
  "tool_result_persist",
  "after_tool_call",
  "before_compaction",
  "after_compaction",
] as const;

/** What plugins have to say in the loop of a run; undefined where none has a hook for what happens there. */
export function applyLoopHooks(hooks: SessionHooks, runId: string): LoopHooks | undefined {
  if (!OF_LOOP.some((name) => hooks.has(name))) return undefined;
  return {
    ...applyToolHooks(hooks, runId),
    beforeCompaction: async (event) => void (await hooks.run("before_compaction", event, runId)),
    afterCompaction: (event) => hooks.later("after_compaction", () => event, runId),
  };
}
