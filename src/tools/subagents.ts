import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { ChildSummary, SessionsPort } from "./sessions-port.ts";

const parameters = z.strictObject({
  action: z.enum(["list", "stop", "steer"]).default("list"),
  target: z.string().optional().describe("For stop and steer: its number in the list, label or session key; or all"),
  message: z.string().trim().min(1).max(100_000).optional().describe("For steer: what to tell it"),
});

/** Lists, stops and steers the sub-agents that this session has started. */
export function subagentsTool(
  sessions: Pick<SessionsPort, "children" | "stopChildren" | "steerChild">,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "subagents",
    summary: "List, stop or steer the sub-agents that you started",
    description:
      "list: the sub-agents of this session, the newest first. stop: ends one, or all, with what they have started. " +
      "steer: gives one more to do or changes its task, also after it has ended; the result is announced. Not for " +
      "waiting: ends are announced by themselves.",
    parameters,
    replay: "safe",
    sequential: true,
    async run({ action, target, message }, call) {
      if (action === "list") return { text: JSON.stringify({ subagents: sessions.children().map(numbered) }) };
      if (target === undefined) throw new Error(`target: say which sub-agent to ${action}; the list has them.`);
      if (action === "stop") {
        const stopped = sessions.stopChildren(target);
        return { text: JSON.stringify({ stopped: stopped.map(({ label, sessionKey }) => ({ label, sessionKey })) }) };
      }
      if (message === undefined) throw new Error("message: say what to tell it.");
      const { label, sessionKey } = await sessions.steerChild(target, message, call);
      const note = "It has been told. Its result will be announced to you: do not poll.";
      return { text: JSON.stringify({ steered: { label, sessionKey }, note }) };
    },
  });
}

function numbered(child: ChildSummary, index: number) {
  return { number: index + 1, ...child };
}
