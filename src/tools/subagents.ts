import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { ChildSummary, SessionsPort } from "./sessions-port.ts";

const noParameters = z.strictObject({});

/** Lists the agents that may be started as sub-agents. */
export function agentsListTool(sessions: Pick<SessionsPort, "agents">): Tool<z.infer<typeof noParameters>> {
  return defineTool({
    name: "agents_list",
    summary: "List the agents that sessions_spawn may start",
    description: "Lists the ids that sessions_spawn takes as agentId, yourself first.",
    parameters: noParameters,
    replay: "safe",
    sequential: false,
    run: async () => ({ text: JSON.stringify({ agents: sessions.agents() }) }),
  });
}

const MAX_TASK_CHARS = 100_000;

const spawnParameters = z.strictObject({
  task: z
    .string()
    .trim()
    .min(1, "say what is to be done")
    .max(MAX_TASK_CHARS)
    .describe("With all that it needs to know: it sees nothing of this conversation"),
  label: z.string().max(200).optional().describe("A short name for it"),
  agentId: z.string().optional().describe("The agent to do it, one of agents_list; yourself where absent"),
  model: z.string().optional().describe("`provider/model`, where the usual one is not right"),
  thinking: z.enum(["off", "minimal", "low", "medium", "high"]).optional().describe("How much it thinks"),
  runTimeoutSeconds: z.number().int().min(0).max(86_400).optional().describe("Longest time of its work; 0 is no limit"),
});

/** Starts a sub-agent. */
export function sessionsSpawnTool(sessions: Pick<SessionsPort, "spawn">): Tool<z.infer<typeof spawnParameters>> {
  return defineTool({
    name: "sessions_spawn",
    summary: "Start a sub-agent that does a task in a session of its own",
    description:
      "Starts a sub-agent that works on a task in a session of its own while you go on. Its result comes as a " +
      "message: do not wait or ask for it.",
    parameters: spawnParameters,
    replay: "safe",
    sequential: false,
    async run(request, call) {
      const { sessionKey, runId, hasBegun } = await sessions.spawn(request, call);
      const note = hasBegun
        ? "It is at work. Its result will be announced to you: do not poll. Go on, or end your turn."
        : "It could not be reached yet and starts as soon as it can. Its result will be announced to you: do not poll.";
      return { text: JSON.stringify({ status: "accepted", childSessionKey: sessionKey, runId, note }) };
    },
  });
}

const parameters = z.strictObject({
  action: z.enum(["list", "stop", "steer"]).default("list"),
  target: z.string().optional().describe("For stop and steer: its number in the list, label or session key; or all"),
  message: z.string().trim().min(1).max(100_000).optional().describe("For steer: what to tell it"),
});

/** Lists, stops and steers the sub-agents of this session. */
export function subagentsTool(
  sessions: Pick<SessionsPort, "children" | "stopChildren" | "steerChild">,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "subagents",
    summary: "List, stop or steer the sub-agents that you started",
    description:
      "list: this session's sub-agents, the newest first. stop: ends one, or all, with what they started. steer: " +
      "gives one more to do or changes its task, also after it has ended. Not for waiting: ends are announced by " +
      "themselves.",
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
      const note = "The message was sent. Its result will be announced to you: do not poll.";
      return { text: JSON.stringify({ steered: { label, sessionKey }, note }) };
    },
  });
}

function numbered(child: ChildSummary, index: number) {
  return { number: index + 1, ...child };
}
